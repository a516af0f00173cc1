/// The state machine of the requests of one control client. It performs no I/O.
///
/// - `connecting`: the handshake is not complete.
/// - `connected`: requests can be sent. Those that are not answered have a waiter each, and so have subscriptions until
///   their last answer.
/// - `ended`: the session has ended, with or without an error.
struct PendingRequests<Waiter, Failure> {
    private enum State {
        case connecting
        case connected(Waiting)
        case ended(Failure?)
    }

    /// What waits for answers, by the numbers of the requests.
    private struct Waiting {
        var requests: [UInt64: Waiter] = [:]
        var subscriptions: [UInt64: Waiter] = [:]
    }

    /// The result of a request to send something.
    enum Beginning {
        /// Send the request with this number.
        case send(UInt64)
        /// The maximum number of requests is not answered yet, or there is the maximum number of subscriptions.
        case tooMany
        /// The session has ended, or is not open yet.
        case ended(Failure?)
    }

    /// The maximum number of unanswered requests, which is the maximum that a coordinator accepts of one session.
    static var maximum: Int { 4 }
    /// The maximum number of subscriptions, which is the maximum that a coordinator accepts of one session.
    static var maximumSubscriptions: Int { 8 }

    private var state = State.connecting
    private var last: UInt64 = 0

    /// Records that the handshake is complete.
    mutating func opened() {
        if case .connecting = state { state = .connected(Waiting()) }
    }

    /// Begins a request.
    ///
    /// - Parameter waiter: What waits for the answer.
    mutating func begin(_ waiter: Waiter) -> Beginning { add(waiter, to: \.requests, atMost: Self.maximum) }

    /// Begins a subscription.
    ///
    /// - Parameter subscriber: What waits for the answers.
    mutating func subscribe(_ subscriber: Waiter) -> Beginning {
        add(subscriber, to: \.subscriptions, atMost: Self.maximumSubscriptions)
    }

    private mutating func add(
        _ waiter: Waiter,
        to waiters: WritableKeyPath<Waiting, [UInt64: Waiter]>,
        atMost maximum: Int
    ) -> Beginning {
        switch state {
        case .connecting: return .ended(nil)
        case .ended(let failure): return .ended(failure)
        case .connected(var waiting):
            guard waiting[keyPath: waiters].count < maximum else { return .tooMany }
            last += 1
            waiting[keyPath: waiters][last] = waiter
            state = .connected(waiting)
            return .send(last)
        }
    }

    /// Handles an answer, which ends its request. A subscription is only ended by its last answer.
    ///
    /// - Returns: What waits for the answer, or nil if there is no such request.
    mutating func answered(_ number: UInt64, isLast: Bool = true) -> Waiter? {
        guard case .connected(var waiting) = state else { return nil }
        if let subscriber = waiting.subscriptions[number] {
            if isLast { waiting.subscriptions[number] = nil }
            state = .connected(waiting)
            return subscriber
        }
        guard let waiter = waiting.requests.removeValue(forKey: number) else { return nil }
        state = .connected(waiting)
        return waiter
    }

    /// Records the end of the session.
    ///
    /// - Returns: What waits for answers that do not come any more.
    mutating func ended(_ failure: Failure?) -> [Waiter] {
        defer { if case .ended = state {} else { state = .ended(failure) } }
        guard case .connected(let waiting) = state else { return [] }
        return Array(waiting.requests.values) + Array(waiting.subscriptions.values)
    }
}
