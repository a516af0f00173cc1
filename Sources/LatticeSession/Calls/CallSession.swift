import DequeModule
import LatticeConcurrency
import LatticeTransport
import LatticeWire
import Synchronization

/// One session, as far as calls are concerned: what is read from channel 0, and what is written there.
///
/// Calls and answers that would make too much wait in the session wait here, in order: so no answer is lost, and no
/// session is ended, because many of them are large.
final class CallSession: SessionChannel {
    private struct State {
        var outbox = CallOutbox()
        var callers = CallCallers()
        /// The bytes of the arguments of what runs here for the other side.
        var arguments = 0
        /// The callers with calls that wait to begin.
        var holding: Set<UInt64> = []
        /// Whether the event loop is about to begin some of these.
        var isBeginning = false
        /// Whether the event loop is about to look how long they have waited.
        var isTicking = false
        /// Whether the log has been told that a caller has too much to read.
        var isNoted = false
        var hasEnded = false

        func hasRoom(for caller: UInt64) -> Bool { outbox.bytes(for: caller) <= CallLimits.maximumWaiting }

        /// - Returns: Whether the event loop is to look again how long calls have waited.
        mutating func takesTick() -> Bool {
            guard !isTicking, holding.contains(where: { hasRoom(for: $0) }) else { return false }
            isTicking = true
            return true
        }
    }

    /// How long calls wait before more of them may begin.
    private static let tickMilliseconds: Int64 = 1

    let id: SessionID
    let session: Session
    /// The process on the other side, for people.
    let title: String
    /// Which life of a worker that is; 0 for others.
    let incarnation: UInt64
    let isClient: Bool
    /// Whether somebody says how the other side has ended, after its session.
    let isSupervised: Bool
    /// Who answers for its channels, as long as this is kept.
    let questions: (any QuestionHost)?
    /// The thread that reads the session.
    let readerExecutor: EventLoopTaskExecutor
    // Until the node forgets this, which it does when the session has ended.
    private let node: ActorNode
    private let state = Locked(State())
    /// Whether answers wait for room, for threads that look without the lock.
    private let hasWaitingAnswers = Atomic(false)

    init(
        _ id: SessionID,
        over session: Session,
        title: String,
        incarnation: UInt64,
        isClient: Bool,
        isSupervised: Bool,
        questions: (any QuestionHost)?,
        node: ActorNode
    ) {
        self.id = id
        self.session = session
        readerExecutor = EventLoopTaskExecutor(session.eventLoop)
        self.title = title
        self.incarnation = incarnation
        self.isClient = isClient
        self.isSupervised = isSupervised
        self.questions = questions
        self.node = node
    }

    // MARK: Sending, on any thread

    /// Whether a call of so many bytes may be added.
    func hasRoom(for bytes: Int) -> Bool {
        state.withLock { $0.outbox.callBytes == 0 || $0.outbox.callBytes + bytes <= CallLimits.maximumWaiting }
    }

    /// Adds a call without writing it; `flushSoon` of the session follows, outside of the caller's lock.
    ///
    /// - Returns: Whether it will go out, unless the session ends before.
    func append(_ call: ActorCall) -> Bool {
        state.withLock { add(call, around: call.arguments, to: nil, &$0) } != .closed
    }

    /// Adds an answer, and writes it. In the place of one for which there is no room the caller gets a failure.
    func send(_ reply: ActorReply, to caller: UInt64 = CallOutbox.direct) {
        let (adding, note) = state.withLock { state -> (Adding, String?) in
            let adding = add(reply, to: caller, &state)
            return (adding, noteIfFull(caller, &state))
        }
        if let note { node.note(note) }
        if adding == .added { session.flushSoon() }
    }

    /// Adds elements of an answer without writing them.
    ///
    /// - Returns: Whether there is room for them. If not, the call is to end with ``ActorReply/unread``.
    func append(_ elements: ActorElements, to caller: UInt64 = CallOutbox.direct) -> Bool {
        let (adding, note) = state.withLock { state -> (Adding, String?) in
            let adding = add(elements, around: elements.elements, to: caller, &state)
            return (adding, noteIfFull(caller, &state))
        }
        if let note { node.note(note) }
        return adding != .full
    }

    func sendCancel(_ call: UInt64) {
        session.sendControl(ActorCancel(call: call))
    }

    func sendCredit(_ bytes: UInt64, for call: UInt64) {
        session.sendControl(ActorCredit(call: call, bytes: bytes))
    }

    private typealias Waiter = OneShot<Void>

    private enum Adding {
        case added
        /// The session has ended.
        case closed
        /// As much waits for the caller as may.
        case full
    }

    private func add(_ reply: ActorReply, to caller: UInt64, _ state: inout State) -> Adding {
        let adding = add(reply, around: reply.value ?? [], to: caller, &state)
        guard adding == .full else { return adding }
        return add(ActorReply.unread.to(reply.call), around: [], to: caller, isBounded: false, &state)
    }

    /// - Parameters:
    ///   - caller: Who reads it; nil: it is a call.
    ///   - isBounded: Whether there has to be room for it.
    private func add<Body: WireMessageBody>(
        _ message: Body,
        around payload: [UInt8],
        to caller: UInt64?,
        isBounded: Bool = true,
        _ state: inout State
    ) -> Adding {
        if state.outbox.isEmpty {
            var hasRoom = false
            let isAdded = session.change { output in
                hasRoom = output.hasRoom(for: 0)
                guard hasRoom else { return }
                if payload.count > WriteQueue.maximumInline {
                    output.queue.addData(Body.kind, on: 0, body: SplitBody(of: message, around: payload))
                } else if payload.count > WriteQueue.maximumSmall {
                    output.queue.addData(message, on: 0)
                } else {
                    output.queue.addSmall(message, on: 0)
                }
            }
            guard isAdded, !hasRoom else { return isAdded ? .added : .closed }
        }
        guard !state.hasEnded else { return .closed }
        let body = SplitBody(of: message, around: payload)
        guard let caller else {
            state.outbox.append(call: Body.kind, body)
            return .added
        }
        let isFull = state.outbox.bytes(for: caller) + body.count > CallLimits.maximumWaiting
        guard !isBounded || payload.isEmpty || !isFull else { return .full }
        state.outbox.append(answer: Body.kind, body, for: caller)
        hasWaitingAnswers.store(true, ordering: .relaxed)
        return .added
    }

    /// - Returns: What the log is told now: that a caller has as much to read as may wait.
    private func noteIfFull(_ caller: UInt64, _ state: inout State) -> String? {
        guard !state.isNoted, !state.hasRoom(for: caller) else { return nil }
        state.isNoted = true
        let reader = caller == CallOutbox.direct ? "the \(title)" : "a process that calls through the \(title)"
        return "\(reader) has more than \(CallLimits.maximumWaiting) bytes of answers to read, which is the limit; its"
            + " calls wait or are refused until it has read some, and beyond \(CallLimits.maximumWaiting) bytes they fail"
    }

    /// Whether nothing waits here.
    var isEmpty: Bool { state.withLock { $0.outbox.isEmpty && $0.holding.isEmpty } }

    /// There is room for what waits here.
    func sessionDrained() {
        let (isEmpty, ready) = state.withLock { state in
            state.outbox.send { message in
                var hasRoom = false
                session.change { output in
                    hasRoom = output.hasRoom(for: 0)
                    if hasRoom { output.queue.addData(message.kind, on: 0, body: message.body) }
                }
                return hasRoom
            }
            if state.outbox.isEmpty {
                hasWaitingAnswers.store(false, ordering: .relaxed)
                state.isNoted = false
            }
            return (state.outbox.isEmpty, takeReady(&state))
        }
        for waiter in ready { waiter.complete() }
        session.flushSoon()
        beginHeld()
        if state.withLock({ $0.takesTick() }) { awaitTick() }
        if isEmpty { node.mayBeIdle() }
    }

    /// Takes out all that waits, which goes out behind everything else that the session has.
    func sessionEnds() -> [(kind: MessageKind, body: SplitBody)] {
        state.withLock { state in
            state.hasEnded = true
            return state.outbox.takeAll().map { ($0.kind, $0.body) }
        }
    }

    // MARK: What runs here for the other side

    enum Taking {
        case begin
        /// It begins later.
        case hold
        /// Too much runs here.
        case refuse
    }

    /// Takes a call that came.
    func take(_ taken: TakenCall) -> Taking {
        let (taking, ticks) = state.withLock { state -> (Taking, Bool) in
            guard state.arguments == 0 || state.arguments + taken.weight <= CallLimits.maximumArguments else {
                return (.refuse, false)
            }
            state.arguments += taken.weight
            guard taken.call.errand == .actor else { return (.begin, false) }
            let hasRoom = state.hasRoom(for: taken.caller)
            guard !state.callers[taken.caller].starts.begins(hasRoom: hasRoom, taken) else {
                return (.begin, false)
            }
            state.holding.insert(taken.caller)
            defer { state.isTicking = state.isTicking || hasRoom }
            return (.hold, hasRoom && !state.isTicking)
        }
        if ticks { awaitTick() }
        return taking
    }

    /// A call has ended here.
    ///
    /// - Parameters:
    ///   - answer: The call, and what it keeps.
    ///   - reply: With the number of the call; nil if nobody waits for it.
    func end(_ call: IncomingCall, with reply: ActorReply?) {
        let (adding, begins, ready, note) = state.withLock { state -> (Adding?, Bool, Waiter?, String?) in
            // Nobody is there to hear of it.
            guard !state.hasEnded else { return (nil, false, nil, nil) }
            state.arguments -= call.weight
            let adding = reply.map { add($0, to: call.origin, &state) }
            let ready = call.isCounted ? ended(call.origin, reply?.value?.count ?? 0, &state) : nil
            let begins = !state.holding.isEmpty && !state.isBeginning
            if begins { state.isBeginning = true }
            return (adding, begins, ready, noteIfFull(call.origin, &state))
        }
        if let note { node.note(note) }
        if adding == .added { session.flushSoon() }
        if begins { session.eventLoop.execute { [self] in beginHeld() } }
        ready?.complete()
    }

    /// - Returns: What may answer in the place of what has ended.
    private func ended(
        _ origin: UInt64,
        _ bytes: Int,
        _ state: inout State
    ) -> Waiter? {
        defer { state.callers.forgetIfIdle(origin) }
        state.callers[origin].starts.ended(bytes)
        return state.hasRoom(for: origin) ? state.callers[origin].ready.popFirst() : nil
    }

    /// Begins calls that have waited. On the event loop.
    private func beginHeld() {
        while let taken = state.withLock({ nextHeld(&$0) }) { node.begin(taken, over: self) }
    }

    /// Takes out a call that waits to begin.
    func takeHeld(_ number: UInt64) -> TakenCall? {
        state.withLock { state in
            guard let taken = state.callers.takeHeld(number, of: &state.holding) else { return nil }
            state.arguments -= taken.weight
            return taken
        }
    }

    private func nextHeld(_ state: inout State) -> TakenCall? {
        state.isBeginning = false
        for caller in state.holding {
            let next = state.callers[caller].starts.next(hasRoom: state.hasRoom(for: caller))
            if !state.callers[caller].starts.isHolding { state.holding.remove(caller) }
            if let next { return next }
        }
        return nil
    }

    /// Lets more of the calls begin that wait although there is room for their answers. Any thread.
    private func awaitTick() {
        session.eventLoop.perform { [self] in
            session.eventLoop.after(milliseconds: Self.tickMilliseconds) { [self] in
                state.withLock { state in
                    for caller in state.holding where state.hasRoom(for: caller) {
                        state.callers[caller].starts.tick()
                    }
                    state.isTicking = false
                }
                beginHeld()
                if state.withLock({ $0.takesTick() }) { awaitTick() }
            }
        }
    }

    /// Whether what is to be answered has to wait until its caller has read other answers.
    func isBehind(_ caller: UInt64) -> Bool {
        hasWaitingAnswers.load(ordering: .relaxed) && state.withLock { !$0.hasRoom(for: caller) }
    }

    /// Whether no caller has more answers to read than may wait.
    var takesCalls: Bool { !isBehind(CallOutbox.direct) }

    /// Returns when there is room for an answer to the caller, nobody reads it any more, or the task is cancelled.
    func untilRoom(for caller: UInt64) async {
        while isBehind(caller), !Task.isCancelled {
            let waiter = Waiter()
            let waits = state.withLock { state in
                guard !state.hasEnded, !state.hasRoom(for: caller) else { return false }
                state.callers[caller].ready.append(waiter)
                return true
            }
            guard waits, await waiter.wait() == nil else { continue }
            state.withLock { $0.callers.stopWaiting(waiter, for: caller) }
        }
    }

    /// Whoever has its turn to answer does not end with that, so the next one has its own.
    func passTurn(of caller: UInt64) {
        let next = state.withLock { $0.hasRoom(for: caller) ? $0.callers.popReady(caller) : nil }
        next?.complete()
    }

    /// - Returns: What may answer now: as much as there seems to be room for.
    private func takeReady(_ state: inout State) -> [Waiter] {
        var ready: [Waiter] = []
        for caller in state.callers.waiting {
            let room = CallLimits.maximumWaiting - state.outbox.bytes(for: caller)
            guard room >= 0 else { continue }
            let waiting = state.callers[caller].ready.count
            let count = min(waiting, 1 + room / max(1, state.callers[caller].starts.lastAnswer))
            ready += state.callers[caller].ready.prefix(count)
            state.callers[caller].ready.removeFirst(count)
        }
        return ready
    }

    // MARK: Receiving, on the event loop

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .actorCall:
            var call = try ActorCall(decoding: body)
            // Nobody passes calls on to a node that knows all.
            if node.isHub { call.caller = nil }
            try node.receive(call, over: self)
        case .actorReply: try node.receive(ActorReply(decoding: body), over: self)
        case .actorCancel: try node.receive(ActorCancel(decoding: body), over: self)
        case .actorElements: try node.receive(ActorElements(decoding: body), over: self)
        case .actorCredit: try node.receive(ActorCredit(decoding: body), over: self)
        default: throw .unexpected(kind, at: "a node")
        }
    }

    func sessionEnded(_ session: Session) {
        let waiters = state.withLock { state in
            let waiters = state.callers.waiting.flatMap { state.callers[$0].ready }
            state = State()
            state.hasEnded = true
            return waiters
        }
        hasWaitingAnswers.store(false, ordering: .relaxed)
        for waiter in waiters { waiter.complete() }
        node.close(self)
    }
}
