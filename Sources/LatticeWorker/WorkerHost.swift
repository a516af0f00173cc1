import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeTransport
package import LatticeWire

/// The serving end of a worker's session: makes a channel for each feature that the coordinator opens.
///
/// Everything happens on the reactor's thread, which is also where the interactors run.
package final class WorkerHost: SessionHandler, @unchecked Sendable {
    // Touched on the reactor's thread only, and never inside one another, except `ended`, which protects itself.

    /// More than a program opens by hand; a coordinator that goes over it hears `openRefused`.
    static let maximumChannels = 4096

    let ended = OneShot<Result<Void, any Error>>()
    private let features: [String: any HostedFeature.Type]
    private let isolation: EventLoopActor
    private let limits: ChannelLimits
    @exclusivity(unchecked) private var channels: [UInt32: FeatureChannel] = [:]
    /// The one that got the last event, and will most likely get the next.
    @exclusivity(unchecked) private var recent: (number: UInt32, channel: FeatureChannel)?
    /// The highest number that was opened: what comes late for a channel that is gone is told from nonsense by it.
    private var lastOpened: UInt32 = 0
    /// Who the coordinator is: where events come from that say nothing else.
    private var sender = EventSender.random()
    private var isDraining = false
    private var hasToAnswerDrain = false

    package init(features: [any HostedFeature.Type], eventLoop: any EventLoop, limits: ChannelLimits = ChannelLimits())
    {
        self.limits = limits
        self.features = Dictionary(features.map { ($0.identifier, $0) }) { first, _ in first }
        isolation = EventLoopActor(eventLoop)
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        sender = EventSender(peer.memory) ?? sender
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        switch kind {
        case .open:
            open(try Open(decoding: body), on: channel, session)
        case .drain:
            drain(try Drain(decoding: body), session)
        case .close:
            _ = try Close(decoding: body)
            recent = nil
            channels.removeValue(forKey: channel)?.close()
            session.sendControl(Closed(code: .requested, reason: ""), on: channel)
            drained(session)
        case .event, .cancel, .origin:
            if let recent, recent.number == channel { return try recent.channel.receive(kind, body) }
            guard let served = channels[channel] else {
                // A cancel may have been on its way when its channel was closed.
                guard channel <= lastOpened else { throw .notOpen(channel, kind) }
                return
            }
            recent = (channel, served)
            try served.receive(kind, body)
        default:
            throw .unexpected(kind, at: "a worker")
        }
    }

    private func drain(_ drain: Drain, _ session: Session) {
        isDraining = true
        hasToAnswerDrain = true
        for channel in channels.values { channel.drain() }
        session.connection.eventLoop.after(milliseconds: Int64(drain.timeoutMilliseconds)) { [weak self] in
            guard let self, hasToAnswerDrain else { return }
            for channel in channels.values { channel.cancelRunning() }
        }
        drained(session)
    }

    private func open(_ open: Open, on number: UInt32, _ session: Session) {
        lastOpened = max(lastOpened, number)
        func refuse(_ code: OpenRefusalCode, _ reason: String) {
            session.sendControl(OpenRefused(code: code, reason: reason), on: number)
        }
        guard channels.count < Self.maximumChannels else {
            return refuse(.tooMany, "a worker has at most \(Self.maximumChannels) channels; close some")
        }
        guard let feature = features[open.feature] else {
            let known = features.keys.sorted().joined(separator: ", ")
            return refuse(.unknownFeature, "the worker has no feature \"\(open.feature)\"; it has: \(known)")
        }
        guard feature.schema == Int(open.schema) else {
            return refuse(
                .schema,
                "the worker has schema \(feature.schema) of \"\(open.feature)\", the coordinator \(open.schema);"
                    + " build both from the same source"
            )
        }
        do {
            let channel = try serve(feature, open, on: number, session)
            channels[number] = channel
            if isDraining { channel.drain() }
            try channel.announce(startedFrom: open.state)
        } catch let failure as EffectFailure {
            channels.removeValue(forKey: number)?.abandon()
            refuse(.undecodableState, failure.message)
        } catch {
            refuse(.undecodableState, "the state to restore cannot be decoded: \(error)")
        }
    }

    private func serve<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ open: Open,
        on number: UInt32,
        _ session: Session
    ) throws -> FeatureChannel {
        let decoder = CBORDecoder(observer: isolation.codingProgress)
        let state =
            try open.state.map { try decoder.decode(Feature.DomainState.self, from: $0) } ?? Feature.initialDomainState
        var limits = limits
        if let maximum = open.maximumState { limits.maximumState = min(limits.maximumState, Int(maximum)) }
        return FeatureChannel(
            number: number,
            feature: FeatureRunner<Feature>(state: state, isolation: isolation),
            server: ChannelServer(revision: open.revision, applied: open.resumeAfter),
            origins: OriginTable(
                opener: EventOrigin(sender: sender, channel: number, feature: open.feature, instance: open.instance)
            ),
            session: session,
            limits: limits,
            // Unowned, as weak references slow down all others: a channel is closed, and then silent, before this goes.
            onIdle: { [unowned self] session in drained(session) }
        )
    }

    /// Answers a drain once nothing runs any more.
    private func drained(_ session: Session) {
        guard hasToAnswerDrain, channels.values.allSatisfy(\.isIdle) else { return }
        hasToAnswerDrain = false
        // Behind the states that wait: the answer may be goodbye.
        session.send { $0.addLast(Drained()) }
    }

    package func sessionDrained(_ session: Session) {
        for channel in channels.values { channel.publishSoon() }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        for channel in channels.values { channel.close() }
        channels = [:]
        recent = nil
        // A connection that broke is the coordinator's death: nobody is there to hear of it.
        if let error, error.code == .refused || error.code == .violation {
            ended.complete(.failure(error))
        } else {
            ended.complete(.success(()))
        }
    }
}
