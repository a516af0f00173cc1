import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// Runs one feature in a worker, behind the channel that a coordinator opened.
///
/// At the end of a tick in which it did something it encodes its state and releases it, with all that the events have
/// done; bytes that are those of the state before are none. Of a ``Patchable`` state it encodes what has changed. A
/// state that was large the last time is encoded on another thread, and released when that is done with what had
/// happened when it began; turns go on meanwhile.
/// Effects start when the state that asked for them has gone into the socket: whatever an effect does to this process,
/// that state arrives.
final class FeatureServer<Feature: HostedFeature>: ServedFeature, @unchecked Sendable {
    // Touched on the event loop only; asking at run time costs more than a turn.

    /// A state that is being encoded on another thread.
    struct Encoding {
        /// The only one with this number.
        let number: Int
        /// How many effects the turns before have left.
        let effects: Int
        /// Those with names that have begun and ended since the encoding before.
        let named: NamedEffectChanges?
    }

    let channel: ChannelServer
    let runtime: FeatureRuntime<Feature.DomainState, Feature.Action>
    let codingProgress: CodingProgress
    private let encoder: CBOREncoder
    let decoder: CBORDecoder
    let eventLoop: any EventLoop
    let session: Session
    let maximumState: Int
    private let onTickEnded: (Session) -> Void
    private var isDraining = false
    /// Whether something was done that is not released.
    // Unchecked: checks of exclusive access at run time took 3 % of the CPU of `latticectl bench session`.
    @exclusivity(unchecked) var isAhead = false
    @exclusivity(unchecked) var unreleased = UnreleasedEvents()
    /// Why the present state cannot be sent, until it is rolled back.
    var failure: EffectFailure?
    var encoding: Encoding?
    var encodings = 0
    /// Bytes of the newest state that was encoded as a whole.
    var bytes = 0
    /// Takes the bytes of the next state.
    @exclusivity(unchecked) var spare: [UInt8] = []
    /// Nil for states that do not travel as patches.
    private let patching: StatePatching<Feature.DomainState>?
    let localParts = WorkerLocalPlaces<Feature.DomainState>()
    /// The state of the last release, of which the next one is a change; nil before the first, and without patches.
    var told: PublishedState<Feature.DomainState>?
    /// Effects whose states are released.
    var securedEffects = 0
    /// Those of them whose states are on their way into the socket.
    var effectsBehindState: Int?
    /// Where the last event came from, and the next will most likely come.
    @exclusivity(unchecked) private var recent: (name: EventName.Origin, origin: EventOrigin)?
    let context: HostContext
    let answering = ConcurrencyLimiter(maximum: FeatureAnswering.maximumAnswers)
    /// Where whoever supervises this process sees whose turn runs; nil: nowhere.
    private let turns: TurnRecord?

    /// - Parameters:
    ///   - state: Where the feature starts.
    ///   - isRestored: Whether the opener has that state.
    ///   - turns: Where it is told whose turn runs; nil: nowhere.
    ///   - onTickEnded: Called when a tick has ended in which the feature did something.
    /// - Throws: `EffectFailure`: why the first state cannot be sent, unless it is the opener's.
    init(
        _ context: HostContext,
        state: Feature.DomainState,
        isRestored: Bool,
        channel: ChannelServer,
        session: Session,
        isolation: EventLoopActor,
        turns: TurnRecord?,
        maximumState: Int,
        onTickEnded: @escaping (Session) -> Void
    ) throws {
        self.channel = channel
        self.session = session
        self.maximumState = maximumState
        self.onTickEnded = onTickEnded
        self.context = context
        self.turns = turns
        eventLoop = isolation.eventLoop
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
        // Not weak, which slows down every other reference, and not checked, which took 1 % of the CPU of
        // `latticectl bench session --only events`: `deinit` takes the closure away.
        runtime.onTurn = { [unowned(unsafe) self] _ in turned() }
        if let turns { runtime.onEffectTurn = { turns.begin(.effect) } }
        if !isRestored, let failure = encode() { throw failure }
    }

    deinit {
        runtime.onTurn = nil
    }

    private func turned() {
        turns?.end()
        isAhead = true
        channel.noteActivity()
    }

    var isIdle: Bool { !isAhead && encoding == nil && channel.isIdle }

    // MARK: Beginning

    func begin(from restored: [UInt8]?) {
        // Of a new instance the first state that is told has what `started` makes of it.
        if let restored { restore(restored) } else { start() }
        channel.answer(by: self)
        if restored != nil { start() }
    }

    /// Lets the feature begin this life, and releases the state: a roll-back because of an event does not go behind it.
    private func start() {
        guard let action = Feature.started(context, in: runtime.state) else { return }
        turns?.begin(.effect)
        // An event of its own in each life, whose effects tell it from all others.
        let origin = EventOrigin(
            sender: .random(),
            channel: channel.number,
            feature: Feature.identifier,
            instance: context.instance
        )
        let task = runtime.send(action, in: EventContext(identity: EventID(origin: origin, number: 1)))
        guard let failure = encode() else { return channel.noteActivity() }
        task.cancel()
        if goBack(failure) != nil { channel.noteActivity() }
        secure()
        Feature.reportTakenBack(failure)
    }

    // MARK: Events

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        isAhead = true
        guard !isDraining else {
            return .ended(.rejected(code: .closed, reason: "the worker is finishing and takes nothing new"))
        }
        guard !event.terms.deadline.hasPassed else { return .ended(.deadlinePassed) }
        unreleased.append(event)
        do {
            return follow(
                try send(event.action, as: event.name, event.number, event.terms),
                event.number,
                event.terms.deadline
            )
        } catch {
            unreleased.removeLast()
            let reason = "the action cannot be decoded by the worker: \(error)"
            return .ended(.rejected(code: .undecodable, reason: reason))
        }
    }

    /// - Throws: `DecodingError` when the bytes are no action; nothing has happened then.
    func send(
        _ action: UnsafeRawBufferPointer,
        as name: EventName,
        _ event: UInt64,
        _ terms: EventMetadata
    ) throws -> EventTask {
        // Until `turned`, if it comes to that.
        turns?.begin(.event(event, channel: channel.number))
        defer { turns?.end() }
        let action = try decoder.decode(Feature.Action.self, from: action)
        let identity = EventID(origin: origin(of: name), number: name.number)
        let context = EventContext(identity: identity, deadline: terms.deadline.moment, trace: terms.trace)
        return runtime.send(action, in: context, event: event)
    }

    private func origin(of name: EventName) -> EventOrigin {
        if let recent, recent.name == name.origin { return recent.origin }
        let origin = EventOrigin(
            sender: EventSender(name.origin.sender),
            channel: name.origin.channel,
            feature: Feature.identifier,
            instance: context.instance
        )
        recent = (name.origin, origin)
        return origin
    }

    func follow(_ task: EventTask, _ event: UInt64, _ deadline: EventDeadline) -> EventStart {
        // Before an effect of it starts.
        if deadline.hasPassed { task.cancel() }
        if let outcome = task.outcome { return .ended(WireOutcome(outcome)) }
        if let left = deadline.left { task.after(left) { [eventLoop] in eventLoop.execute { task.cancel() } } }
        task.onCompletion { [weak self] outcome in
            guard let self else { return }
            eventLoop.perform { self.ended(event, outcome) }
        }
        return .running(task)
    }

    private func ended(_ event: UInt64, _ outcome: EventOutcome) {
        isAhead = true
        channel.complete(event, WireOutcome(outcome))
    }

    private func restore(_ bytes: [UInt8]) {
        guard let patching else { return channel.begin(with: bytes) }
        let told = PublishedState(runtime.state, bytes: bytes.count, patching)
        self.told = told
        patching.noteWhole(bytes: bytes.count, on: eventLoop)
        channel.begin(bytes: bytes.count, encodedBy: told.encoding(progress: codingProgress))
    }

    // MARK: Releasing

    func release(_ server: ChannelServer, atEndOfTick: Bool) {
        guard isAhead, encoding == nil else { return }
        if failure == nil {
            guard channel.hasRoom() || unreleased.isFull else { return }
            if told == nil, bytes >= CodingThreads.largeBytes { return startEncoding() }
            failure = encode()
        }
        // Between two events only: while one is applied, or while what was lost is applied again, the state is not that
        // of the events that the channel has counted.
        guard atEndOfTick || failure == nil else { return channel.noteActivity() }
        if let failure = failure.take() { rollBack(failure) }
    }

    /// Encodes the present state and releases it, which is what a roll-back goes to from now on.
    ///
    /// - Returns: Why it cannot be sent; nothing has changed then.
    func encode() -> EffectFailure? {
        if let failure = told == nil ? encodeWhole() : encodeChange() { return failure }
        secure()
        return nil
    }

    /// The present state is the one that was released.
    func secure() {
        isAhead = false
        unreleased.removeAll()
        runtime.secure()
        securedEffects = runtime.heldEffects - (effectsBehindState ?? 0)
    }

    private func encodeChange() -> EffectFailure? {
        do {
            switch try told?.advance(to: runtime.state, limit: maximumState, observer: codingProgress) {
            case .changed(let change):
                guard let told else { return nil }
                noteEffects()
                channel.release(change: change, encodedBy: told.encoding(progress: codingProgress))
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
        spare.removeAll(keepingCapacity: true)
        do {
            try encoder.encode(runtime.state, into: &spare)
        } catch {
            return .stateNotEncodable(of: Feature.identifier, error, isFirst: isFirst)
        }
        bytes = spare.count
        guard spare.count <= maximumState else {
            defer { spare = [] }
            return .stateTooLarge(of: Feature.identifier, bytes: spare.count, limit: maximumState, isFirst: isFirst)
        }
        if let patching {
            told = PublishedState(runtime.state, bytes: spare.count, patching)
            patching.noteWhole(bytes: spare.count, on: eventLoop)
        }
        noteEffects()
        channel.release(&spare)
        return nil
    }

    /// Whether no state was released yet.
    private var isFirst: Bool { !channel.hasState }

    func tickEnded(_ server: ChannelServer) {
        startEffects()
        onTickEnded(session)
        told?.renewOutdated()
    }

    // MARK: Ending

    func drain() {
        isDraining = true
    }

    func close(_ server: ChannelServer) {
        // What ran ends cancelled, and the opener hears of that before it hears `closed`.
        runtime.close()
        let isLeft = isAhead || encoding != nil
        encoding = nil
        if let failure = failure.take() ?? (isLeft ? encode() : nil) { rollBack(failure) }
    }
}

/// A feature that a worker serves, whatever its types.
protocol ServedFeature: ChannelHost {
    var channel: ChannelServer { get }
    /// Whether nothing runs that somebody waits for, and everything was told.
    var isIdle: Bool { get }

    /// Begins its life, and answers `open`.
    ///
    /// - Parameter restored: The state that came with it.
    func begin(from restored: [UInt8]?)

    /// Takes no new events.
    func drain()

    /// Answers a question from the present state.
    ///
    /// - Returns: What works on it; nil: it has been answered.
    func answer(_ question: [UInt8], _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)?
}
