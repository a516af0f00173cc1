/// What happened for `latticectl top` and is not handled yet.
///
/// A terminal that is stopped blocks the program while it draws, and the rest of the world continues. So the number of
/// entries is bounded, and nothing is lost that the program waits for.
package struct TopInbox<Event: Sendable, Result: Sendable>: Sendable {
    /// Something to handle.
    package enum Item: Sendable {
        /// The result of a request. None is lost.
        case result(Result)
        /// An event of the terminal. Only the newest ones are kept.
        case event(Event)
        /// The interval has passed, once or several times.
        case due
    }

    /// The maximum number of events of the terminal. A person does not press more keys while nothing is shown.
    package static var maximumEvents: Int { 64 }

    private var results: [Result] = []
    private var events: [Event] = []
    private var isDue = false

    package init() {}

    /// Adds the result of a request. Their number is that of the requests that were begun.
    package mutating func add(_ result: Result) { results.append(result) }

    /// Adds an event of the terminal, in place of the oldest one if there are too many.
    package mutating func add(event: Event) {
        if events.count == Self.maximumEvents { events.removeFirst() }
        events.append(event)
    }

    /// Records that the interval has passed.
    package mutating func becomeDue() { isDue = true }

    /// Returns everything and forgets it: results first, then the events of the terminal.
    package mutating func takeAll() -> [Item] {
        defer { self = TopInbox() }
        return results.map { .result($0) } + events.map { .event($0) } + (isDue ? [.due] : [])
    }
}
