import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire

/// Runs one feature in a worker and serves it on a channel that the coordinator opened.
///
/// At the end of each tick with activity the server encodes the state and releases it, together with the outcomes of
/// events. If the bytes are the same as before, no state is released. For a ``Patchable`` state only the changes are
/// encoded. A state that was large the last time is encoded on another thread while turns continue. It is released when
/// the encoding is done, with what had happened when the encoding began.
///
/// An effect starts when the state that requested it was written to the socket. Whatever the effect does to this
/// process, the coordinator receives that state.
final class FeatureServer<Feature: HostedFeature>: ServedFeature, @unchecked Sendable {
    // Unchecked because `published`, `runtime` and `onTickEnded` are used on the event loop only. The first two are not
    // in `loopState`, because their types depend on the feature.

    let channel: ChannelServer
    let runtime: FeatureRuntime<Feature.DomainState, Feature.Action>
    let codingProgress: CodingProgress
    private let encoder: CBOREncoder
    let decoder: CBORDecoder
    let eventLoop: any EventLoop
    let session: Session
    let maximumState: Int
    private let onTickEnded: (Session) -> Void
    let loopState: LoopBound<FeatureServerState>
    /// The conversion to patches, or nil for states that are sent as a whole.
    private let patching: StatePatching<Feature.DomainState>?
    let localParts = WorkerLocalPlaces<Feature.DomainState>()
    /// The last released state, from which the next change is computed. Nil before the first release, and for states
    /// without patches.
    var published: PublishedState<Feature.DomainState>?
    let context: HostContext
    let answering = ConcurrencyLimiter(maximum: FeatureAnswering.maximumAnswers)
    /// The record in which the supervisor sees the running turn, or nil.
    private let turns: TurnRecord?
    private let events: RuntimeEvents
    private let observesEvents: Bool
    private let observesStates: Bool

    /// - Parameters:
    ///   - context: The context of the instance.
    ///   - state: The state that the feature starts from.
    ///   - isRestored: Whether the coordinator already has that state.
    ///   - channel: The channel to serve.
    ///   - session: The session of the channel.
    ///   - isolation: The actor of the event loop.
    ///   - turns: The record in which the running turn is noted, or nil.
    ///   - events: The sink of the events of this process.
    ///   - maximumState: The maximum size of an encoded state in bytes.
    ///   - onTickEnded: A closure that is called at the end of each tick in which the feature did something.
    /// - Throws: `EffectFailure` with the reason if the first state cannot be sent. A restored state is not checked.
    init(
        _ context: HostContext,
        state: Feature.DomainState,
        isRestored: Bool,
        channel: ChannelServer,
        session: Session,
        isolation: EventLoopActor,
        turns: TurnRecord?,
        events: RuntimeEvents = .none,
        maximumState: Int,
        onTickEnded: @escaping (Session) -> Void
    ) throws {
        self.channel = channel
        self.session = session
        self.maximumState = maximumState
        self.onTickEnded = onTickEnded
        self.context = context
        self.turns = turns
        self.events = events
        observesEvents = events.wants(.eventAccepted) || events.wants(.eventOrdered)
        observesStates = events.wants(.statePublished)
        eventLoop = isolation.eventLoop
        loopState = LoopBound(FeatureServerState(reportedRevision: channel.revision), to: eventLoop.thread)
        codingProgress = isolation.codingProgress
        encoder = CBOREncoder(observer: isolation.codingProgress)
        decoder = CBORDecoder(observer: isolation.codingProgress)
        patching = .make()
        runtime = FeatureRuntime(
            initialState: state,
            interactor: Feature.interactor(in: context),
            isolation: isolation,
            effectStart: .held
        )
        // The reference is not weak, which would slow down all others, and not checked, which took 1 % of the CPU of
        // `lattice-bench session --only events`. `close` removes the closure.
        runtime.tracing = FeatureTracing(events.tracer, feature: Feature.identifier, instance: context.instance)
        runtime.onTurn = { [unowned(unsafe) self] _ in turned() }
        if let turns { runtime.onEffectTurn = { turns.begin(.effect) } }
        if !isRestored, let failure = encode() { throw failure }
    }

    deinit {
        // `close` has removed the closure, unless `init` threw. Another thread may release the last reference, and must
        // not write to the runtime.
        if runtime.onTurn != nil { runtime.onTurn = nil }
    }

    private func turned() {
        turns?.end()
        loopState.value.isAhead = true
        channel.noteActivity()
    }

    var isIdle: Bool { !loopState.value.isAhead && loopState.value.encoding == nil && channel.isIdle }

    // MARK: Beginning

    func begin(from restored: [UInt8]?) {
        // The first state of a new instance already contains the result of `started`.
        if let restored { restore(restored) } else { start() }
        channel.answer(by: self)
        if restored != nil { start() }
    }

    /// Lets the feature start in this incarnation, and releases the state. A later roll-back does not go back beyond
    /// it.
    private func start() {
        guard let action = Feature.started(context, in: runtime.state) else { return }
        turns?.begin(.effect)
        // The action is an event of its own in each incarnation, so that its effects have a unique identity.
        let origin = EventOrigin(
            sender: .random(),
            channel: channel.number,
            feature: Feature.identifier,
            instance: context.instance
        )
        let task = runtime.send(action, in: EventContext(id: EventID(origin: origin, number: 1), cause: .started))
        guard let failure = encode() else { return channel.noteActivity() }
        task.cancel()
        if goBack(failure) != nil { channel.noteActivity() }
        secure()
        Feature.reportTakenBack(failure)
    }

    // MARK: Events

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        loopState.value.isAhead = true
        guard !loopState.value.isDraining else {
            return .ended(.rejected(code: .closed, reason: "The worker is draining and accepts no new events."))
        }
        guard !event.metadata.deadline.hasPassed else { return .ended(.deadlinePassed) }
        if observesEvents {
            let id = EventID(origin: origin(of: event.name), number: event.name.number)
            events.emit(.eventAccepted, .eventAccepted(id))
            if events.wants(.eventOrdered) {
                let context = EventContext(id: id, order: event.number, cause: event.metadata.eventCause)
                events.emit(.eventOrdered, .eventOrdered(id, context))
            }
        }
        do {
            let task = try send(event.action, as: event.name, event.number, event.metadata)
            // A roll-back does not apply a rejected event again.
            if case .rejected = task.outcome { channel.noteRejection() } else { channel.keep(event) }
            return follow(task, event.number, event.metadata.deadline)
        } catch {
            let reason = "The action cannot be decoded by the worker: \(error)"
            return .ended(.rejected(code: .undecodable, reason: reason))
        }
    }

    /// Decodes and applies an action.
    ///
    /// - Throws: `DecodingError` if the bytes are not an action. In this case nothing was applied.
    func send(
        _ action: UnsafeRawBufferPointer,
        as name: EventName,
        _ event: UInt64,
        _ metadata: EventMetadata
    ) throws -> EventTask {
        // The record ends in `turned`, or here if the action cannot be decoded.
        turns?.begin(.event(event, channel: channel.number))
        defer { turns?.end() }
        let action = try decoder.decode(Feature.Action.self, from: action)
        let identity = EventID(origin: origin(of: name), number: name.number)
        let context = EventContext(
            id: identity,
            cause: metadata.eventCause,
            deadline: metadata.deadline,
            trace: metadata.trace
        )
        if let span = runtime.tracing?.beginTurn(in: metadata.trace) { return send(action, in: context, event, span) }
        return runtime.send(action, in: context, event: event)
    }

    private func origin(of name: EventName) -> EventOrigin {
        if let recent = loopState.value.recent, recent.name == name.origin,
            recent.name.connection == name.origin.connection
        {
            return recent.origin
        }
        let origin = loopState.value.origins[name.origin.connection] ?? makeOrigin(name.origin)
        loopState.value.recent = (name.origin, origin)
        return origin
    }

    private func makeOrigin(_ name: EventName.Origin) -> EventOrigin {
        let sender = EventSender(name.sender)
        let origin = EventOrigin(
            sender: sender,
            channel: name.channel,
            feature: Feature.identifier,
            instance: context.instance,
            client: channel.sender(of: name).map { RuntimeEvent.Client(sender, $0) }
        )
        // The peer introduces no more at a time.
        if loopState.value.origins.count == MessageLimits.maximumOrigins { loopState.value.origins = [:] }
        loopState.value.origins[name.connection] = origin
        return origin
    }

    func follow(_ task: EventTask, _ event: UInt64, _ deadline: MonotonicDeadline) -> EventStart {
        // The event is cancelled before one of its effects starts.
        if deadline.hasPassed { task.cancel(Self.deadlinePassed) }
        if let outcome = task.outcome { return .ended(WireOutcome(outcome)) }
        if let left = deadline.left {
            task.after(left) { [eventLoop] in eventLoop.execute { task.cancel(Self.deadlinePassed) } }
        }
        task.onCompletion { [weak self] outcome in
            guard let self else { return }
            eventLoop.perform { self.ended(event, outcome) }
        }
        return .running(task)
    }

    private static var deadlinePassed: Cancellation { Cancellation(by: .deadline) }

    private func ended(_ event: UInt64, _ outcome: EventOutcome) {
        loopState.value.isAhead = true
        channel.complete(event, WireOutcome(outcome))
    }

    private func restore(_ bytes: [UInt8]) {
        guard let patching else { return channel.begin(with: bytes) }
        let published = PublishedState(runtime.state, bytes: bytes.count, patching)
        self.published = published
        patching.noteWhole(bytes: bytes.count, on: eventLoop)
        channel.begin(bytes: bytes.count, encodedBy: published.encoding(progress: codingProgress))
    }

    // MARK: Releasing

    func release(_ server: ChannelServer, atEndOfTick: Bool) {
        guard loopState.value.isAhead, loopState.value.encoding == nil else { return }
        if loopState.value.failure == nil {
            guard channel.hasRoom() || channel.isLedgerFull else { return }
            if published == nil, loopState.value.bytes >= CodingThreads.largeBytes { return startEncoding() }
            loopState.value.failure = encode()
        }
        // A roll-back is possible only between two events. While an event is applied, or while lost events are applied
        // again, the state does not match the events that the channel has counted.
        guard atEndOfTick || loopState.value.failure == nil else { return channel.noteActivity() }
        if let failure = loopState.value.failure.take() { rollBack(failure) }
    }

    /// Encodes the current state and releases it. Later roll-backs go back to this state.
    ///
    /// - Returns: The reason why the state cannot be sent, or nil. In case of an error nothing has changed.
    func encode() -> EffectFailure? {
        if let failure = published == nil ? encodeWhole() : encodeChange() { return failure }
        secure()
        return nil
    }

    /// Notes that the current state is the released one.
    func secure() {
        loopState.value.isAhead = false
        runtime.secure()
        loopState.value.securedEffects = runtime.heldEffects - (loopState.value.effectsBehindState ?? 0)
    }

    private func encodeChange() -> EffectFailure? {
        do {
            switch try published?.advance(to: runtime.state, limit: maximumState, observer: codingProgress) {
            case .changed(let change):
                guard let published else { return nil }
                noteEffects()
                channel.release(change: change, encodedBy: published.encoding(progress: codingProgress))
                if observesStates { emitPublished(bytes: change?.count, isPatch: change != nil) }
            case .tooLarge(let bytes):
                return .stateTooLarge(of: Feature.identifier, bytes: bytes, limit: maximumState, isFirst: false)
            case .same, nil:
                noteEffects()
                channel.releaseUnchanged()
            }
            return nil
        } catch {
            return .stateNotEncodable(of: Feature.identifier, error, isFirst: false)
        }
    }

    private func encodeWhole() -> EffectFailure? {
        loopState.value.spare.removeAll(keepingCapacity: true)
        do {
            try encoder.encode(runtime.state, into: &loopState.value.spare)
        } catch {
            return .stateNotEncodable(of: Feature.identifier, error, isFirst: isFirst)
        }
        let bytes = loopState.value.spare.count
        loopState.value.bytes = bytes
        guard bytes <= maximumState else {
            defer { loopState.value.spare = [] }
            return .stateTooLarge(of: Feature.identifier, bytes: bytes, limit: maximumState, isFirst: isFirst)
        }
        if let patching {
            published = PublishedState(runtime.state, bytes: bytes, patching)
            patching.noteWhole(bytes: bytes, on: eventLoop)
        }
        noteEffects()
        channel.release(&loopState.value.spare)
        if observesStates { emitPublished(bytes: bytes, isPatch: false) }
        return nil
    }

    /// Reports the newest released state, unless it is the one that was reported last.
    func emitPublished(bytes: Int?, isPatch: Bool) {
        guard observesStates else { return }
        let revision = channel.revision
        guard revision != loopState.value.reportedRevision else { return }
        loopState.value.reportedRevision = revision
        let instance = RuntimeEvent.Instance(
            feature: Feature.identifier,
            key: context.instance,
            member: RuntimeEvent.Member(group: context.group)
        )
        let update = RuntimeEvent.StateUpdate(revision: revision, bytes: bytes, isPatch: isPatch)
        events.emit(.statePublished, .statePublished(instance, update))
    }

    /// A Boolean value that indicates whether no state has been released yet.
    private var isFirst: Bool { !channel.hasState }

    func tickEnded(_ server: ChannelServer) {
        startEffects()
        onTickEnded(session)
        published?.renewOutdated()
    }

    // MARK: Ending

    func drain() {
        loopState.value.isDraining = true
    }

    func close(_ server: ChannelServer) {
        // Running events end cancelled. The coordinator gets these outcomes before `closed`.
        runtime.close()
        let isUnreleased = loopState.value.isAhead || loopState.value.encoding != nil
        loopState.value.encoding = nil
        if let failure = loopState.value.failure.take() ?? (isUnreleased ? encode() : nil) { rollBack(failure) }
        // Effects that were cancelled may end later.
        runtime.onTurn = nil
        runtime.onEffectTurn = nil
    }
}

/// A feature that a worker serves, independent of its types.
protocol ServedFeature: ChannelHost {
    var channel: ChannelServer { get }
    /// A Boolean value that indicates whether no event or effect is running and everything was released.
    var isIdle: Bool { get }

    /// Starts the feature in this incarnation, and answers `open`.
    ///
    /// - Parameter restored: The encoded state of the `open` message, or nil.
    func begin(from restored: [UInt8]?)

    /// Stops accepting new events.
    func drain()

    /// Answers a question from the current state.
    ///
    /// - Returns: The call that works on the answer, or nil if the question has already been answered.
    func answer(_ question: [UInt8], _ callContext: CallContext, _ answer: IncomingCall) -> (any RunningCall)?
}
