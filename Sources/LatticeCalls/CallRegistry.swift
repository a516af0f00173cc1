import LatticeWire

/// The calls of one session.
///
/// - `open`: calls are sent in both directions.
/// - `draining`: the other side is about to end and receives no more calls of actors. Everything else is sent in both
///   directions.
/// - `closed`: the session has ended. The calls that were sent over it wait until it is known how the other side ended.
///   For a worker, its supervisor knows this a moment later.
struct CallRegistry<Caller, Run> {
    private enum Phase { case open, draining, closed }

    /// The receiver of an answer.
    enum Sender {
        case own(Caller)
        /// The session over which the call was received, and its number there.
        case session(SessionID, call: UInt64)
    }

    /// The kind of work that a call asks for.
    enum CallKind {
        /// A call of an actor.
        case actor
        /// A question about what the node itself knows, such as whether an actor has ended. It is also answered by a
        /// node that is about to end.
        case node
        /// A question like `node`, to which the limit on calls does not apply.
        case unlimited
    }

    /// The progress of a call that was received.
    enum Taken {
        /// The call was accepted, and its running call has not been recorded yet.
        case new
        case running(Run)
        case passedOn(SessionID, call: UInt64)
    }

    let peer: NodeID
    /// Whether the other side is the hub, which knows all nodes.
    let isUplink: Bool
    private var phase = Phase.open
    private(set) var lastSent: UInt64 = 0
    private var lastReceived: UInt64 = 0
    /// The calls that were sent, by the numbers that this side assigned.
    private(set) var sent = NumberedCalls<Sender>()
    /// The sent calls that are questions to the node itself. They may wait there without a limit of time.
    private var questions: Set<UInt64> = []
    /// The amounts that the other side may send of the streams that answer sent calls.
    private var windows: [UInt64: StreamWindow] = [:]
    /// The calls that were received, by the numbers that the other side assigned.
    private(set) var taken = NumberedCalls<Taken>()
    /// The calls whose cancel arrived before they began. A cancel can overtake large arguments, or arrive before the
    /// running call is recorded.
    private var cancelledEarly: Set<UInt64> = []
    /// The earlier readings of the age of the oldest call.
    private var age = CallAge()

    init(peer: NodeID, isUplink: Bool) {
        self.peer = peer
        self.isUplink = isUplink
    }

    /// Whether the session is open or draining.
    var isOpen: Bool { phase != .closed }

    /// Whether calls of actors can be sent to the other side.
    var takesCalls: Bool { phase == .open }

    /// Stops the sending of calls of actors, because the other side is about to end.
    mutating func drain() {
        if isOpen { phase = .draining }
    }

    /// Closes the session.
    ///
    /// - Returns: The calls of the other side that were in progress, in order.
    mutating func close() -> [Taken] {
        guard isOpen else { return [] }
        phase = .closed
        cancelledEarly = []
        defer { taken = NumberedCalls() }
        return taken.sorted.map(\.call)
    }

    /// Returns the time for which the oldest call of an actor has had no answer, at least. It is counted from an
    /// earlier call of this method. A call whose stream has begun counts as answered.
    mutating func oldestAge(at now: ContinuousClock.Instant) -> Duration {
        let oldest = sent.firstNumber { !questions.contains($0) && windows[$0] == nil }
        return age.look(oldest: oldest, last: lastSent, at: now)
    }

    /// Adds a call that is about to be sent.
    ///
    /// - Returns: The number of the call.
    mutating func send(_ sender: Sender, _ kind: CallKind) throws(CallRefusal) -> UInt64 {
        guard isOpen else { throw .lost }
        guard kind != .actor || takesCalls else { throw .draining }
        guard kind == .unlimited || sent.count < CallLimits.maximumCalls else { throw .overloaded }
        lastSent += 1
        if kind != .actor { questions.insert(lastSent) }
        sent.append(sender, lastSent)
        return lastSent
    }

    /// Receives the answer to a call.
    ///
    /// - Returns: The receiver of the answer, or `nil` if it is no longer awaited.
    mutating func receive(reply number: UInt64) throws(WireError) -> Sender? {
        guard number <= lastSent else { throw .unknownCall(number) }
        return remove(number)
    }

    /// Removes a call whose answer is no longer awaited.
    ///
    /// - Returns: The receiver of the answer.
    mutating func remove(_ number: UInt64) -> Sender? {
        if !windows.isEmpty { windows[number] = nil }
        if !questions.isEmpty { questions.remove(number) }
        return sent.remove(number)
    }

    /// Receives elements of a stream.
    ///
    /// - Returns: The receiver of the elements, or `nil` if they are no longer awaited.
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

    /// Accepts more bytes of a stream.
    ///
    /// - Returns: The number of bytes to grant to the other side.
    mutating func grant(_ bytes: Int, to number: UInt64) -> Int {
        windows[number]?.give(bytes) ?? 0
    }

    /// Receives a call.
    ///
    /// - Returns: The reason for refusing the call, or `nil` if it can be accepted.
    mutating func receive(call number: UInt64) throws(WireError) -> CallRefusal? {
        guard isOpen else { return .lost }
        guard number > lastReceived else { throw .callOutOfOrder(number, after: lastReceived) }
        lastReceived = number
        return taken.count < CallLimits.maximumCalls ? nil : .overloaded
    }

    /// Adds a call that was accepted.
    ///
    /// - Returns: Whether its cancel arrived before it.
    mutating func take(_ number: UInt64, as new: Taken) -> Bool {
        taken.append(new, number)
        return takeEarlyCancel(number)
    }

    /// Returns whether a call that has not begun is cancelled.
    func isCancelled(_ number: UInt64) -> Bool { !cancelledEarly.isEmpty && cancelledEarly.contains(number) }

    mutating func began(_ number: UInt64, _ run: Run) -> Bool {
        guard taken.replace(number, with: .running(run)) else { return false }
        return !takeEarlyCancel(number)
    }

    mutating func finish(_ number: UInt64) -> Bool {
        _ = takeEarlyCancel(number)
        return drop(number)
    }

    /// Removes a call.
    ///
    /// - Returns: Whether the call was in progress.
    mutating func drop(_ number: UInt64) -> Bool { taken.remove(number) != nil }

    private mutating func takeEarlyCancel(_ number: UInt64) -> Bool {
        !cancelledEarly.isEmpty && cancelledEarly.remove(number) != nil
    }

    /// Receives the cancel of a call.
    ///
    /// - Returns: The progress of the call, or `nil` if it has not arrived yet or has ended.
    mutating func receive(cancel number: UInt64) throws(WireError) -> Taken? {
        guard isOpen else { return nil }
        let call = taken[number]
        if case .new? = call {} else if call != nil || number <= lastReceived { return call }
        guard cancelledEarly.count < CallLimits.maximumCalls else { throw .tooManyCancels(number) }
        cancelledEarly.insert(number)
        return call
    }

    /// Receives credit for the stream that answers a call.
    ///
    /// - Returns: The progress of the call, or `nil` if it has ended.
    func receive(credit number: UInt64) throws(WireError) -> Taken? {
        // Credit answers elements, which only a call that was received can have.
        guard number <= lastReceived else { throw .creditForUnknownCall(number) }
        return taken[number]
    }
}
