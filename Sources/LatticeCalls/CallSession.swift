import DequeModule
import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire
import Synchronization

/// The calls of one session: it reads channel 0 of the session and writes to it.
///
/// When the session's output is full, calls and answers wait here in order. Many large answers therefore neither lose
/// an answer nor end the session.
final class CallSession: SessionChannel {
    struct State {
        var outbox = CallOutbox()
        var callers = CallCallers()
        /// The number of bytes of the arguments of the calls that run here for the other side.
        var arguments = 0
        /// The callers with calls that wait to begin.
        var holding: Set<UInt64> = []
        /// Whether the event loop is about to begin waiting calls.
        var isBeginning = false
        /// Whether a timer will let more of the waiting calls begin.
        var isTicking = false
        /// Whether the log has been notified that a caller has too much to read.
        var isBacklogReported = false
        var unwritten = WriteWaiters()
        var hasEnded = false

        func hasRoom(for caller: UInt64) -> Bool { outbox.bytes(for: caller) <= CallLimits.backlogThreshold }

        /// Returns whether the caller must schedule the timer for waiting calls.
        mutating func takesTick() -> Bool {
            guard !isTicking, holding.contains(where: { hasRoom(for: $0) }) else { return false }
            isTicking = true
            return true
        }
    }

    /// The time in milliseconds after which more of the waiting calls may begin.
    private static let tickMilliseconds: Int64 = 1

    let id: SessionID
    let base: Session
    /// The name of the process on the other side in messages.
    let title: String
    let processID: Int32?
    /// The incarnation of a worker on the other side, or 0 for other processes.
    let incarnation: UInt64
    let isClient: Bool
    /// Whether the node will be notified how the other side ended, some time after the end of the session.
    let isSupervised: Bool
    /// Answers the questions on the channels of the session. This object keeps it.
    let questions: (any QuestionHost)?
    /// An executor on the thread that reads the session.
    let readerExecutor: EventLoopTaskExecutor
    // The node and this object keep each other until the session has ended. Then the node removes this object.
    private let node: ActorNode
    let state = Locked(State())
    /// Whether answers wait for room. Threads read it without taking the lock.
    private let hasWaitingAnswers = Atomic(false)

    init(
        _ id: SessionID,
        over session: Session,
        title: String,
        processID: Int32?,
        incarnation: UInt64,
        isClient: Bool,
        isSupervised: Bool,
        questions: (any QuestionHost)?,
        node: ActorNode
    ) {
        self.id = id
        base = session
        readerExecutor = EventLoopTaskExecutor(session.eventLoop)
        self.title = title
        self.processID = processID
        self.incarnation = incarnation
        self.isClient = isClient
        self.isSupervised = isSupervised
        self.questions = questions
        self.node = node
    }

    // MARK: Sending, on any thread

    /// Returns whether there is room for a call with this number of bytes.
    func hasRoom(for bytes: Int) -> Bool {
        state.withLock { $0.outbox.callBytes == 0 || $0.outbox.callBytes + bytes <= CallLimits.backlogThreshold }
    }

    /// Adds a call without writing it. Call `flushSoon` of ``base`` afterwards, outside any lock of your own.
    ///
    /// - Returns: Whether the call will be sent, unless the session ends first.
    func append(_ call: ActorCall) -> Bool {
        state.withLock { add(call, around: call.arguments, to: nil, &$0) } != .closed
    }

    /// Adds a message about names in the same way as a call.
    func append(_ message: some WireMessageBody) -> Bool {
        state.withLock { add(message, around: [], to: nil, &$0) } != .closed
    }

    /// Adds an answer and writes it. If there is no room for the answer, the caller receives a failure instead.
    func send(_ reply: ActorReply, to caller: UInt64 = CallOutbox.direct) {
        let (adding, note) = state.withLock { state -> (Adding, String?) in
            let adding = add(reply, to: caller, &state)
            return (adding, noteIfFull(caller, &state))
        }
        if let note { node.note(note) }
        if adding == .added { base.flushSoon() }
    }

    /// Adds elements of a stream without writing them.
    ///
    /// - Returns: Whether there is room for them. If `false`, end the call with ``CallOutcome/unread``.
    func append(_ elements: ActorElements, to caller: UInt64 = CallOutbox.direct) -> Bool {
        let (adding, note) = state.withLock { state -> (Adding, String?) in
            let adding = add(elements, around: elements.elements, to: caller, &state)
            return (adding, noteIfFull(caller, &state))
        }
        if let note { node.note(note) }
        return adding != .full
    }

    func sendCancel(_ call: UInt64) {
        base.sendControl(ActorCancel(call: call))
    }

    func sendCredit(_ bytes: UInt64, for call: UInt64) {
        base.sendControl(ActorCredit(call: call, bytes: bytes))
    }

    private typealias Waiter = OneShot<Void>

    private enum Adding {
        case added
        /// The session has ended.
        case closed
        /// The answers that wait for the caller have reached the limit.
        case full
    }

    private func add(_ reply: ActorReply, to caller: UInt64, _ state: inout State) -> Adding {
        let adding = add(reply, around: reply.value ?? [], to: caller, &state)
        guard adding == .full else { return adding }
        return add(CallOutcome.unread.reply(to: reply.call), around: [], to: caller, isBounded: false, &state)
    }

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - payload: The encoded arguments, result or elements of the message.
    ///   - caller: The caller that reads the message, or `nil` if the message is a call.
    ///   - isBounded: Whether to refuse the message if the answers that wait for the caller have reached the limit.
    private func add<Body: WireMessageBody>(
        _ message: Body,
        around payload: [UInt8],
        to caller: UInt64?,
        isBounded: Bool = true,
        _ state: inout State
    ) -> Adding {
        if state.outbox.isEmpty {
            switch base.add(message, around: payload, on: 0) {
            case .added: return .added
            case .closed: return .closed
            case .noRoom: break
            }
        }
        guard !state.hasEnded else { return .closed }
        let body = SplitBody(of: message, around: payload)
        guard let caller else {
            state.outbox.append(call: Body.kind, body)
            return .added
        }
        let isFull = state.outbox.bytes(for: caller) + body.count > CallLimits.maximumBacklog
        guard !isBounded || payload.isEmpty || !isFull else { return .full }
        state.outbox.append(answer: Body.kind, body, for: caller)
        hasWaitingAnswers.store(true, ordering: .relaxed)
        return .added
    }

    /// Returns a sentence for the log, once, when a caller has so many answers to read that its calls pause.
    private func noteIfFull(_ caller: UInt64, _ state: inout State) -> String? {
        guard !state.isBacklogReported, !state.hasRoom(for: caller) else { return nil }
        state.isBacklogReported = true
        let reader = caller == CallOutbox.direct ? "the \(title)" : "a process that calls through the \(title)"
        return "\(reader) has more than \(CallLimits.backlogThreshold) bytes of answers to read; its calls wait or are"
            + " refused until it has read some of them, and beyond \(CallLimits.maximumBacklog) bytes its calls fail"
    }

    /// Whether neither messages nor calls wait here.
    var isEmpty: Bool { state.withLock { $0.outbox.isEmpty && $0.holding.isEmpty } }

    /// Whether no messages wait for room.
    var hasEmptyOutbox: Bool { state.withLock(\.outbox.isEmpty) }

    /// Sends the messages that waited, because there is room for them now.
    func sessionDrained() {
        let (isEmpty, ready, written) = state.withLock { state in
            state.outbox.send { base.add($0.kind, $0.body, on: 0) }
            if state.outbox.isEmpty {
                hasWaitingAnswers.store(false, ordering: .relaxed)
                state.isBacklogReported = false
            }
            return (state.outbox.isEmpty, state.callers.takeReady(beside: state.outbox), takeWritten(&state))
        }
        for waiter in ready { waiter.complete() }
        for waiter in written { waiter(.written) }
        base.flushSoon()
        beginHeld()
        if state.withLock({ $0.takesTick() }) { awaitTick() }
        if isEmpty {
            node.sendLists(over: self)
            node.mayBeIdle()
        }
    }

    /// Removes and returns all messages that wait. The session sends them after everything else.
    func sessionEnds() -> [(kind: MessageKind, body: SplitBody)] {
        state.withLock { state in
            state.hasEnded = true
            return state.outbox.takeAll().map { ($0.kind, $0.body) }
        }
    }

    // MARK: What runs here for the other side

    enum Admission {
        case begin
        /// The call waits and begins later.
        case hold
        /// The arguments of the running calls have reached the limit.
        case refuse
    }

    /// Accepts or refuses a call that was received.
    func admit(_ taken: TakenCall) -> Admission {
        let (admission, ticks) = state.withLock { state -> (Admission, Bool) in
            guard state.arguments == 0 || state.arguments + taken.weight <= CallLimits.maximumArguments else {
                return (.refuse, false)
            }
            state.arguments += taken.weight
            guard taken.call.callKind == .actor else { return (.begin, false) }
            let hasRoom = state.hasRoom(for: taken.caller)
            let begins = state.callers.update(taken.caller) { $0.starts.begins(hasRoom: hasRoom, taken) }
            guard !begins else { return (.begin, false) }
            state.holding.insert(taken.caller)
            defer { state.isTicking = state.isTicking || hasRoom }
            return (.hold, hasRoom && !state.isTicking)
        }
        if ticks { awaitTick() }
        return admission
    }

    /// Ends a call that ran here.
    ///
    /// - Parameter reply: The answer with the number of the call, or `nil` if it is no longer awaited.
    func end(_ call: IncomingCall, with reply: ActorReply?) {
        let (adding, begins, ready, note) = state.withLock { state -> (Adding?, Bool, Waiter?, String?) in
            // After the end of the session the answer is not needed.
            guard !state.hasEnded else { return (nil, false, nil, nil) }
            state.arguments -= call.weight
            let adding = reply.map { add($0, to: call.origin, &state) }
            let ready = call.isCounted ? ended(call.origin, reply?.value?.count ?? 0, &state) : nil
            let begins = !state.holding.isEmpty && !state.isBeginning
            if begins { state.isBeginning = true }
            return (adding, begins, ready, noteIfFull(call.origin, &state))
        }
        if let note { node.note(note) }
        if adding == .added { base.flushSoon() }
        if begins { base.eventLoop.execute { [self] in beginHeld() } }
        ready?.complete()
    }

    /// Records the end of a call.
    ///
    /// - Returns: The next waiter for room, which may now answer.
    private func ended(
        _ origin: UInt64,
        _ bytes: Int,
        _ state: inout State
    ) -> Waiter? {
        defer { state.callers.forgetIfIdle(origin) }
        let hasRoom = state.hasRoom(for: origin)
        return state.callers.update(origin) { caller in
            caller.starts.ended(bytes)
            return hasRoom ? caller.ready.popFirst() : nil
        }
    }

    /// Begins calls that waited. It runs on the event loop.
    private func beginHeld() {
        while let taken = state.withLock({ nextHeld(&$0) }) { node.begin(taken, over: self) }
    }

    /// Removes and returns a call that waits to begin.
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
            let hasRoom = state.hasRoom(for: caller)
            let next = state.callers.update(caller) { $0.starts.next(hasRoom: hasRoom) }
            if !state.callers[caller].starts.isHolding { state.holding.remove(caller) }
            if let next { return next }
        }
        return nil
    }

    /// Schedules a timer that lets more calls begin if they wait although there is room for their answers. It can be
    /// called on any thread.
    private func awaitTick() {
        base.eventLoop.perform { [self] in
            base.eventLoop.after(milliseconds: Self.tickMilliseconds) { [self] in
                state.withLock { state in
                    for caller in state.holding where state.hasRoom(for: caller) {
                        state.callers.update(caller) { $0.starts.tick() }
                    }
                    state.isTicking = false
                }
                beginHeld()
                if state.withLock({ $0.takesTick() }) { awaitTick() }
            }
        }
    }

    /// Returns whether a caller must read other answers before more of them are encoded.
    func hasBacklog(of caller: UInt64) -> Bool {
        hasWaitingAnswers.load(ordering: .relaxed) && state.withLock { !$0.hasRoom(for: caller) }
    }

    /// Whether the other side has read enough of its answers for its calls to be passed on.
    var takesCalls: Bool { !hasBacklog(of: CallOutbox.direct) }

    /// Waits until there is room for an answer to the caller, the session has ended, or the task is cancelled.
    func untilRoom(for caller: UInt64) async {
        while hasBacklog(of: caller), !Task.isCancelled {
            let waiter = Waiter()
            let waits = state.withLock { state in
                guard !state.hasEnded, !state.hasRoom(for: caller) else { return false }
                state.callers.update(caller) { $0.ready.append(waiter) }
                return true
            }
            guard waits, await waiter.wait() == nil else { continue }
            state.withLock { $0.callers.stopWaiting(waiter, for: caller) }
        }
    }

    /// Resumes the next waiter for room, because the call of the waiter before it does not end with an answer now.
    func resumeNextWaiter(of caller: UInt64) {
        let next = state.withLock { $0.hasRoom(for: caller) ? $0.callers.popReady(caller) : nil }
        next?.complete()
    }

    // MARK: Receiving, on the event loop

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .actorCall:
            var call = try ActorCall(decoding: body)
            // The hub never receives calls that another node has passed on.
            if node.isHub { call.caller = nil }
            try node.receive(call, over: self)
        case .actorReply: try node.receive(ActorReply(decoding: body), over: self)
        case .actorCancel: try node.receive(ActorCancel(decoding: body), over: self)
        case .actorElements: try node.receive(ActorElements(decoding: body), over: self)
        case .actorCredit: try node.receive(ActorCredit(decoding: body), over: self)
        default: try node.receive(kind, body, over: self)
        }
    }

    func sessionEnded(_ session: Session) {
        let (waiters, written) = state.withLock { state in
            let waiters = state.callers.waiting.flatMap { state.callers[$0].ready }
            let written = state.unwritten.takeAll()
            state = State()
            state.hasEnded = true
            return (waiters, written)
        }
        hasWaitingAnswers.store(false, ordering: .relaxed)
        for waiter in waiters { waiter.complete() }
        for waiter in written { waiter(.lost) }
        node.close(self)
    }
}
