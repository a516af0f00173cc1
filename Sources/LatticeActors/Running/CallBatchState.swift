import DequeModule

/// The state machine of a batch, which holds its waiting calls.
///
/// - open: It accepts calls until its share of calls is used up.
/// - closed: It hands out the calls that it has and accepts no more. It also closes when no call waits.
struct CallBatchState<Call> {
    /// The maximum number of calls in a batch. It is large enough that the task costs almost nothing per call.
    static var share: Int { 64 }

    private var waiting: Deque<Call>
    /// The number of calls that the batch still accepts. With 0 it is closed.
    private var room = share - 1

    init(_ first: Call) {
        waiting = [first]
    }

    /// Adds a call.
    ///
    /// - Returns: Whether the batch accepts the call.
    mutating func add(_ call: Call) -> Bool {
        guard room > 0 else { return false }
        room -= 1
        waiting.append(call)
        return true
    }

    /// Stops accepting calls.
    mutating func close() {
        room = 0
    }

    /// Returns the call to run next, or nil if there is none. After nil the batch is closed.
    mutating func next() -> Call? {
        let next = waiting.popFirst()
        if next == nil { close() }
        return next
    }
}
