/// The state machine of the requests of one control client. It performs no I/O.
///
/// - `connecting`: the handshake is not complete.
/// - `connected`: requests can be sent. Those that are not answered have a waiter each.
/// - `ended`: the session has ended, with or without an error.
struct PendingRequests<Waiter, Failure> {
    private enum State {
        case connecting
        case connected([UInt64: Waiter])
        case ended(Failure?)
    }

    /// The result of a request to send something.
    enum Beginning {
        /// Send the request with this number.
        case send(UInt64)
        /// The maximum number of requests is not answered yet.
        case tooMany
        /// The session has ended, or is not open yet.
        case ended(Failure?)
    }

    /// The maximum number of unanswered requests, which is the maximum that a coordinator accepts of one session.
    static var maximum: Int { 4 }

    private var state = State.connecting
    private var last: UInt64 = 0

    /// Records that the handshake is complete.
    mutating func opened() {
        if case .connecting = state { state = .connected([:]) }
    }

    /// Begins a request.
    ///
    /// - Parameter waiter: What waits for the answer.
    mutating func begin(_ waiter: Waiter) -> Beginning {
        switch state {
        case .connecting: return .ended(nil)
        case .ended(let failure): return .ended(failure)
        case .connected(var waiters):
            guard waiters.count < Self.maximum else { return .tooMany }
            last += 1
            waiters[last] = waiter
            state = .connected(waiters)
            return .send(last)
        }
    }

    /// Ends a request that was answered.
    ///
    /// - Returns: What waits for the answer, or nil if there is no such request.
    mutating func answered(_ number: UInt64) -> Waiter? {
        guard case .connected(var waiters) = state, let waiter = waiters.removeValue(forKey: number) else { return nil }
        state = .connected(waiters)
        return waiter
    }

    /// Records the end of the session.
    ///
    /// - Returns: What waits for answers that do not come any more.
    mutating func ended(_ failure: Failure?) -> [Waiter] {
        defer { if case .ended = state {} else { state = .ended(failure) } }
        guard case .connected(let waiters) = state else { return [] }
        return Array(waiters.values)
    }
}
