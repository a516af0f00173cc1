package import LatticeCalls
import LatticeCoding
import LatticeConcurrency
package import LatticeCore
import LatticeHosting
package import LatticeProcess
package import LatticeSession
package import LatticeTransport
package import LatticeWire

/// The handler of a worker's session. It serves a feature on each channel that the coordinator opens.
///
/// All of its work happens on the event loop, which also runs the interactors.
package final class WorkerHost: SessionHandler, @unchecked Sendable {
    // The properties are used on the event loop only, and accesses are never nested. `ended` is safe on any thread.

    /// The maximum number of channels, far more than a program opens by hand. A coordinator that opens more gets
    /// `openRefused`.
    static let maximumChannels = 4096

    /// The reason for which events are cancelled that have not ended when the worker has to leave.
    private static let drainReason = "The worker drains, and the time for that has passed."

    /// Completes with the result of the session when it has ended.
    let ended = OneShot<Result<Void, any Error>>()
    private let features: [String: any HostedFeature.Type]
    private let incarnation: UInt64
    private let group: String
    private let dependencies: HostDependencies
    private let turns: TurnRecord?
    private let node: ActorNode?
    let events: RuntimeEvents
    /// The process ID of the coordinator while its session is open.
    private var coordinator: Int32?
    private let isolation: EventLoopActor
    private let limits: ChannelLimits
    private var served: [UInt32: any ServedFeature] = [:]
    /// The channels whose large states are being decoded on other threads.
    private var decoding: Set<UInt32> = []
    /// The identity of the coordinator. It is the sender of events that do not name another one.
    private var sender = EventSender.random()
    private var drain = DrainPhase.none
    private var effects = EffectWatch()

    private struct UndecodableConfiguration: Error {
        let cause: any Error
    }

    private enum DrainPhase {
        case none
        /// The coordinator asked the worker to drain and waits for the answer.
        case asked
        case answered
    }

    /// - Parameters:
    ///   - features: The features to serve.
    ///   - incarnation: The incarnation of this worker.
    ///   - group: The name of the worker's group, or the empty string for none.
    ///   - dependencies: The dependencies of the features.
    ///   - turns: The record in which the running turn is noted, or nil.
    ///   - node: The node that sends and receives calls of actors, or nil for none.
    ///   - events: The sink of the events of this process.
    ///   - eventLoop: The event loop of the session.
    ///   - limits: The limits of the channels.
    package init(
        features: [any HostedFeature.Type],
        incarnation: UInt64 = 1,
        group: String = "",
        dependencies: HostDependencies = HostDependencies(),
        turns: TurnRecord? = nil,
        node: ActorNode? = nil,
        events: RuntimeEvents = .none,
        eventLoop: any EventLoop,
        limits: ChannelLimits = .worker
    ) {
        self.turns = turns
        self.node = node
        self.events = events
        self.limits = limits
        self.incarnation = incarnation
        self.group = group
        self.dependencies = dependencies
        self.features = Dictionary(features.map { ($0.identifier, $0) }) { first, _ in first }
        isolation = EventLoopActor(eventLoop)
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        sender = EventSender(peer.storeID) ?? sender
        let process = Int32(truncatingIfNeeded: peer.processID)
        coordinator = process
        events.emit(.sessionOpened, .sessionOpened(.coordinator(processID: process, path: nil)))
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
            for feature in served.values { feature.channel.cancelRunning(reason: Self.drainReason) }
            node?.cancelRunning()
        }
        answerDrain(session)
    }

    package func session(_ session: Session, opens number: UInt32, _ open: Open) {
        func refuse(_ code: OpenRefusalCode, _ reason: String) {
            session.sendControl(OpenRefused(code: code, reason: reason), on: number)
        }
        guard served.count + decoding.count < Self.maximumChannels else {
            return refuse(.tooMany, "A worker has at most \(Self.maximumChannels) channels. Close some.")
        }
        guard let feature = features[open.feature] else {
            let known = features.keys.sorted().joined(separator: ", ")
            let others = known.isEmpty ? "It hosts no features." : "It hosts: \(known)."
            return refuse(.unknownFeature, "The worker does not host \"\(open.feature)\". \(others)")
        }
        guard feature.schema == Int(open.schema) else {
            return refuse(
                .schema,
                "The worker has schema \(feature.schema) of \"\(open.feature)\", and the coordinator has schema"
                    + " \(open.schema). Build both from the same source."
            )
        }
        decode(feature, open.state, on: number) { [self] state in
            serve(feature, open, from: state, on: number, session)
        }
    }

    /// Decodes the state of an `open` message, a large one on another thread. The result is dropped if the channel is
    /// closed in the meantime.
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
            let reason = "The configuration of \"\(open.feature)\" cannot be decoded: \(error.cause)"
            refuse(.undecodableConfiguration, reason)
        } catch let failure as EffectFailure {
            refuse(.undecodableState, failure.message)
        } catch {
            refuse(.undecodableState, "The state to restore cannot be decoded: \(error)")
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
            events: events,
            maximumState: min(
                limits.maximumState,
                open.maximumState.map(Int.init) ?? FrameLimits.maximumState
            ),
            // The reference is unowned because weak references slow down all others. A channel is closed, and no longer
            // calls this, before the host is released.
            onTickEnded: { [unowned self] session in answerDrain(session) }
        )
    }

    package func session(_ session: Session, left channel: UInt32) {
        served[channel] = nil
        decoding.remove(channel)
        answerDrain(session)
    }

    /// Answers a drain request when no event, effect or call is running.
    private func answerDrain(_ session: Session) {
        guard case .asked = drain, served.values.allSatisfy(\.isIdle), node?.isIdle ?? true else { return }
        drain = .answered
        // The answer follows the states that wait, because the coordinator may close the session after it.
        session.send { $0.addLast(Drained()) }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        // Before the process can end for this reason.
        turns?.noteSessionEnd()
        served = [:]
        decoding = []
        if let coordinator = coordinator.take() {
            let peer = RuntimeEvent.Peer.coordinator(processID: coordinator, path: nil)
            let problem = error.map { RuntimeEvent.SessionProblem($0) }
            events.emit(.sessionEnded, .sessionEnded(peer, problem: problem))
        }
        // A broken connection means that the coordinator has died, and no process would read an error.
        if let error, error.code == .refused || error.code == .violation {
            ended.complete(.failure(error))
        } else {
            ended.complete(.success(()))
        }
    }
}

extension WorkerHost: QuestionHost {
    package func begin(
        _ question: [UInt8],
        on channel: UInt32,
        _ callContext: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let feature = served[channel] else {
            answer.end(.noChannel(channel))
            return nil
        }
        return feature.answer(question, callContext, answer)
    }
}

extension ChannelLimits {
    /// The limits of a worker's channels. The coordinator decides how large a state may be.
    package static var worker: ChannelLimits {
        var limits = ChannelLimits()
        limits.maximumState = Int(UInt32.max)
        return limits
    }
}
