import LatticeCoding
import LatticeConcurrency
package import LatticeCore
import LatticeHosting
package import LatticeSession
package import LatticeTransport
package import LatticeWire

/// What a worker serves: a feature for each channel that the coordinator opens.
///
/// Everything happens on the event loop, which is also where the interactors run.
package final class WorkerHost: SessionHandler, @unchecked Sendable {
    // Touched on the event loop only, and never inside one another, except `ended`, which protects itself.

    /// More than a program opens by hand; a coordinator that goes over it hears `openRefused`.
    static let maximumChannels = 4096

    let ended = OneShot<Result<Void, any Error>>()
    private let features: [String: any HostedFeature.Type]
    private let incarnation: UInt64
    private let group: String
    private let dependencies: HostDependencies
    private let turns: TurnRecord?
    private let node: ActorNode?
    private let isolation: EventLoopActor
    private let limits: ChannelLimits
    private var served: [UInt32: any ServedFeature] = [:]
    /// Channels whose large states are being decoded on other threads.
    private var decoding: Set<UInt32> = []
    /// Who the coordinator is: where events come from that say nothing else.
    private var sender = EventSender.random()
    private var drain = DrainPhase.none
    private var effects = EffectWatch()

    private struct UndecodableConfiguration: Error {
        let cause: any Error
    }

    private enum DrainPhase {
        case none
        /// The coordinator waits for the answer.
        case asked
        case answered
    }

    /// - Parameters:
    ///   - incarnation: The number of this life of the worker.
    ///   - group: What its group is called; empty for none.
    ///   - dependencies: What the features use.
    ///   - turns: Where it is told whose turn runs; nil: nowhere.
    ///   - node: What takes and makes calls of actors; nil: nothing does.
    package init(
        features: [any HostedFeature.Type],
        incarnation: UInt64 = 1,
        group: String = "",
        dependencies: HostDependencies = HostDependencies(),
        turns: TurnRecord? = nil,
        node: ActorNode? = nil,
        eventLoop: any EventLoop,
        limits: ChannelLimits = .worker
    ) {
        self.turns = turns
        self.node = node
        self.limits = limits
        self.incarnation = incarnation
        self.group = group
        self.dependencies = dependencies
        self.features = Dictionary(features.map { ($0.identifier, $0) }) { first, _ in first }
        isolation = EventLoopActor(eventLoop)
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        sender = EventSender(peer.memory) ?? sender
        node?.connect(session, to: peer, title: "coordinator", questions: self)
    }

    package func session(_ session: Session, isAsked answer: @escaping @Sendable (_ problem: String?) -> Void) {
        let problem = effects.problem(at: .now)
        isolation.codingProgress.whenGoingOn { answer(problem) }
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard case .drain = kind else { throw .unexpected(kind, at: "a worker") }
        let message = try Drain(decoding: body)
        drain = .asked
        for feature in served.values { feature.drain() }
        node?.drain { [weak self, weak session] in
            guard let self, let session else { return }
            session.eventLoop.execute { self.answerDrain(session) }
        }
        session.eventLoop.after(milliseconds: Int64(message.timeoutMilliseconds)) { [weak self] in
            guard let self, case .asked = drain else { return }
            for feature in served.values { feature.channel.cancelRunning() }
            node?.cancelRunning()
        }
        answerDrain(session)
    }

    package func session(_ session: Session, opens number: UInt32, _ open: Open) {
        func refuse(_ code: OpenRefusalCode, _ reason: String) {
            session.sendControl(OpenRefused(code: code, reason: reason), on: number)
        }
        guard served.count + decoding.count < Self.maximumChannels else {
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
        decode(feature, open.state, on: number) { [self] state in
            serve(feature, open, from: state, on: number, session)
        }
    }

    /// Decodes the state that came with `open`, a large one on another thread, unless the channel is left meanwhile.
    private func decode<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ state: [UInt8]?,
        on number: UInt32,
        then serve: @escaping @Sendable (Result<(any Sendable)?, any Error>) -> Void
    ) {
        let decoder = CBORDecoder(observer: isolation.codingProgress)
        guard let state, state.count >= CodingThreads.largeBytes else {
            return serve(Result { try state.map { try decoder.decode(Feature.DomainState.self, from: $0) } })
        }
        decoding.insert(number)
        CodingThreads.run { [self] in
            let result = Result<(any Sendable)?, any Error> {
                try isolation.codingProgress.track { try decoder.decode(Feature.DomainState.self, from: state) }
            }
            isolation.eventLoop.execute { [self] in if decoding.remove(number) != nil { serve(result) } }
        }
    }

    private func serve(
        _ feature: any HostedFeature.Type,
        _ open: Open,
        from state: Result<(any Sendable)?, any Error>,
        on number: UInt32,
        _ session: Session
    ) {
        func refuse(_ code: OpenRefusalCode, _ reason: String) {
            session.sendControl(OpenRefused(code: code, reason: reason), on: number)
        }
        do {
            let feature = try serve(feature, open, restored: state, on: number, session)
            served[number] = feature
            feature.channel.link(to: session, by: open)
            if case .none = drain {} else { feature.drain() }
            feature.begin(from: open.state)
        } catch let error as UndecodableConfiguration {
            let reason = "the configuration of \"\(open.feature)\" cannot be decoded: \(error.cause)"
            refuse(.undecodableConfiguration, reason)
        } catch let failure as EffectFailure {
            refuse(.undecodableState, failure.message)
        } catch {
            refuse(.undecodableState, "the state to restore cannot be decoded: \(error)")
        }
    }

    private func serve<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ open: Open,
        restored: Result<(any Sendable)?, any Error>,
        on number: UInt32,
        _ session: Session
    ) throws -> any ServedFeature {
        let decoder = CBORDecoder(observer: isolation.codingProgress)
        var configuration: Feature.Configuration?
        do {
            configuration = try open.configuration.map { try decoder.decode(Feature.Configuration.self, from: $0) }
        } catch {
            throw UndecodableConfiguration(cause: error)
        }
        let context = HostContext(
            instance: open.instance,
            group: group,
            incarnation: incarnation,
            configuration: configuration,
            dependencies: dependencies
        )
        let restored = try restored.get() as? Feature.DomainState
        return try FeatureServer<Feature>(
            context,
            state: restored ?? Feature.initialDomainState(in: context),
            isRestored: restored != nil,
            channel: ChannelServer(
                number: number,
                state: ChannelServerState(revision: open.revision, applied: open.resumeAfter),
                sender: sender.value,
                eventLoop: isolation.eventLoop,
                limits: limits
            ),
            session: session,
            isolation: isolation,
            turns: turns,
            maximumState: min(
                limits.maximumState,
                open.maximumState.map(Int.init) ?? FrameLimits.maximumState
            ),
            // Unowned, as weak references slow down all others: a channel is closed, and then silent, before this goes.
            onTickEnded: { [unowned self] session in answerDrain(session) }
        )
    }

    package func session(_ session: Session, left channel: UInt32) {
        served[channel] = nil
        decoding.remove(channel)
        answerDrain(session)
    }

    /// Answers a drain once nothing runs any more.
    private func answerDrain(_ session: Session) {
        guard case .asked = drain, served.values.allSatisfy(\.isIdle), node?.isIdle ?? true else { return }
        drain = .answered
        // Behind the states that wait: the answer may be goodbye.
        session.send { $0.addLast(Drained()) }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        served = [:]
        decoding = []
        if let error, error.code == .overloaded { node?.note("the session with the coordinator ended: \(error)") }
        // A connection that broke is the coordinator's death: nobody is there to hear of it.
        if let error, error.code == .refused || error.code == .violation {
            ended.complete(.failure(error))
        } else {
            ended.complete(.success(()))
        }
    }
}

extension WorkerHost: QuestionHost {
    package func begin(
        _ question: ChannelQuestion,
        _ terms: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let feature = served[question.channel] else {
            answer.end(.noChannel(question.channel))
            return nil
        }
        return feature.answer(question.question, terms, answer)
    }
}

extension ChannelLimits {
    /// A worker's state may be as large as its coordinator says.
    package static var worker: ChannelLimits {
        var limits = ChannelLimits()
        limits.maximumState = Int(UInt32.max)
        return limits
    }
}
