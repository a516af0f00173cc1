import DequeModule

/// What a turn has to do, and whether it takes more.
///
/// - open: it takes calls, until it has had its share of them.
/// - closed: it gives what it has taken, and takes none any more. That is also how it ends, when none waits.
struct TurnState<Call> {
    /// Calls of a turn at most: enough that its task costs next to nothing for each.
    static var share: Int { 64 }

    private var waiting: Deque<Call>
    /// How many it still takes; 0: it is closed.
    private var room = share - 1

    init(_ first: Call) {
        waiting = [first]
    }

    /// - Returns: Whether it takes the call.
    mutating func add(_ call: Call) -> Bool {
        guard room > 0 else { return false }
        room -= 1
        waiting.append(call)
        return true
    }

    mutating func close() {
        room = 0
    }

    /// - Returns: What is to run next; nil: nothing, and nothing will come.
    mutating func next() -> Call? {
        let next = waiting.popFirst()
        if next == nil { close() }
        return next
    }
}
