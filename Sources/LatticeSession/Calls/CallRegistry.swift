import LatticeWire

/// The calls of one session.
///
/// - `open`: calls go in both directions.
/// - `leaving`: the other side is about to end, and gets no calls of actors any more; the rest goes in both directions.
/// - `closed`: the session has ended, and what was sent over it waits for somebody to say how its other side has ended:
///   a worker's supervisor knows that a moment later.
struct CallRegistry<Caller, Run> {
    private enum Phase { case open, leaving, closed }

    /// Who is to get an answer.
    enum Sender {
        case own(Caller)
        /// Who sent the call here, and as which.
        case link(SessionID, call: UInt64)
    }

    /// What a call asks for.
    enum CallKind {
        /// That an actor does something.
        case actor
        /// What the node itself knows, as whether an actor has ended: it says so also when it is about to end.
        case node
        /// The same, however many calls are under way.
        case unlimited
    }

    /// What became of a call that came.
    enum Taken {
        /// It was not said yet what runs.
        case new
        case running(Run)
        case passedOn(SessionID, call: UInt64)
    }

    let peer: NodeID
    /// Whether its other side knows all nodes.
    let isUplink: Bool
    private var phase = Phase.open
    private(set) var lastSent: UInt64 = 0
    private var lastReceived: UInt64 = 0
    /// By the numbers that this side gave.
    private(set) var sent = NumberedCalls<Sender>()
    /// Those of them that ask a node, and may wait there for as long as they like.
    private var questions: Set<UInt64> = []
    /// Of those that are answered with streams, what the other side may send.
    private var windows: [UInt64: StreamWindow] = [:]
    /// By the numbers that the other side gave.
    private(set) var taken = NumberedCalls<Taken>()
    /// Calls whose cancel came before them, as that overtakes large arguments, or before it was said what runs.
    private var cancelledEarly: Set<UInt64> = []

    init(peer: NodeID, isUplink: Bool) {
        self.peer = peer
        self.isUplink = isUplink
    }

    /// Whether the session is there.
    var isOpen: Bool { phase != .closed }

    /// Whether calls may go there.
    var takesCalls: Bool { phase == .open }

    /// The other side is about to end.
    mutating func leave() {
        if isOpen { phase = .leaving }
    }

    /// - Returns: What was under way for the other side, in the order of the calls.
    mutating func close() -> [Taken] {
        guard isOpen else { return [] }
        phase = .closed
        cancelledEarly = []
        defer { taken = NumberedCalls() }
        return taken.sorted.map(\.call)
    }

    /// The number of the oldest call of an actor without an answer; one that is answered with a stream has one.
    var oldestCall: UInt64? {
        sent.firstNumber { !questions.contains($0) && windows[$0] == nil }
    }

    /// - Returns: The number of a call that is to be sent.
    mutating func send(_ sender: Sender, _ errand: CallKind) throws(CallRefusal) -> UInt64 {
        guard isOpen else { throw .lost }
        guard errand != .actor || takesCalls else { throw .leaving }
        guard errand == .unlimited || sent.count < CallLimits.maximumCalls else { throw .overloaded }
        lastSent += 1
        if errand != .actor { questions.insert(lastSent) }
        sent.append(sender, lastSent)
        return lastSent
    }

    /// An answer came.
    ///
    /// - Returns: For whom; nil: nobody waits for it any more.
    mutating func receive(reply number: UInt64) throws(WireError) -> Sender? {
        guard number <= lastSent else { throw .unknownCall(number) }
        return remove(number)
    }

    /// Nobody waits for the answer to a call any more.
    ///
    /// - Returns: Who has waited.
    mutating func remove(_ number: UInt64) -> Sender? {
        if !windows.isEmpty { windows[number] = nil }
        if !questions.isEmpty { questions.remove(number) }
        return sent.remove(number)
    }

    /// Elements of an answer came.
    ///
    /// - Returns: For whom; nil: nobody waits for them any more.
    mutating func receive(elements bytes: Int, of number: UInt64) throws(WireError) -> Sender? {
        guard number <= lastSent else { throw .unknownCall(number) }
        guard let sender = sent[number] else { return nil }
        guard windows[number] != nil else {
            guard bytes == 0 else { throw .elementsBeforeStream(number) }
            windows[number] = StreamWindow()
            return sender
        }
        guard bytes > 0 else { throw .elementsBeforeStream(number) }
        guard windows[number]?.take(bytes) == true else { throw .elementsWithoutCredit(number) }
        return sender
    }

    /// More of an answer is taken.
    ///
    /// - Returns: How much is to be granted to the other side; 0: nothing.
    mutating func grant(_ bytes: Int, to number: UInt64) -> Int {
        windows[number]?.give(bytes) ?? 0
    }

    /// A call came.
    ///
    /// - Returns: Why it goes nowhere; nil: it may run.
    mutating func receive(call number: UInt64) throws(WireError) -> CallRefusal? {
        guard isOpen else { return .lost }
        guard number > lastReceived else { throw .callOutOfOrder(number, after: lastReceived) }
        lastReceived = number
        return taken.count < CallLimits.maximumCalls ? nil : .overloaded
    }

    /// A call that came is taken.
    ///
    /// - Returns: Whether its cancel came before it.
    mutating func take(_ number: UInt64, as new: Taken) -> Bool {
        taken.append(new, number)
        return takeEarlyCancel(number)
    }

    /// Whether a call that has not begun is cancelled.
    func isCancelled(_ number: UInt64) -> Bool { !cancelledEarly.isEmpty && cancelledEarly.contains(number) }

    mutating func began(_ number: UInt64, _ run: Run) -> Bool {
        guard taken.replace(number, with: .running(run)) else { return false }
        return !takeEarlyCancel(number)
    }

    mutating func finish(_ number: UInt64) -> Bool {
        _ = takeEarlyCancel(number)
        return drop(number)
    }

    /// - Returns: Whether it was under way.
    mutating func drop(_ number: UInt64) -> Bool { taken.remove(number) != nil }

    private mutating func takeEarlyCancel(_ number: UInt64) -> Bool {
        !cancelledEarly.isEmpty && cancelledEarly.remove(number) != nil
    }

    /// - Returns: What became of the call; nil: nothing yet, or it has ended.
    mutating func receive(cancel number: UInt64) throws(WireError) -> Taken? {
        guard isOpen else { return nil }
        let call = taken[number]
        if case .new? = call {} else if call != nil || number <= lastReceived { return call }
        guard cancelledEarly.count < CallLimits.maximumCalls else { throw .tooManyCancels(number) }
        cancelledEarly.insert(number)
        return call
    }

    /// - Returns: What became of the call; nil: it has ended.
    func receive(credit number: UInt64) throws(WireError) -> Taken? {
        // It answers elements, which only a call that came can have.
        guard number <= lastReceived else { throw .creditForUnknownCall(number) }
        return taken[number]
    }
}
