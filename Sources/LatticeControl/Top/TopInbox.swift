/// What happened for `latticectl top` and is not handled yet.
///
/// A terminal that is stopped blocks the program while it draws, and the rest of the world continues. So the number of
/// entries is bounded, and nothing is lost that the program waits for.
package struct TopInbox<Event: Sendable, Query: Hashable & Sendable, Page: Sendable, Result: Sendable>: Sendable {
    /// Something to handle.
    package enum Item: Sendable {
        /// The result of an act. None is lost.
        case result(Result)
        /// An event of the terminal. Only the newest ones are kept.
        case event(Event)
        /// A page that was asked for. Only the newest one of each query is kept.
        case page(Page)
    }

    /// The maximum number of events of the terminal. A person does not press more keys while nothing is shown.
    package static var maximumEvents: Int { 64 }

    private var results: [Result] = []
    private var events: [Event] = []
    private var pages: [Query: Page] = [:]

    package init() {}

    /// Adds the result of an act. Their number is that of the acts that were begun.
    package mutating func add(_ result: Result) { results.append(result) }

    /// Adds an event of the terminal, in place of the oldest one if there are too many.
    package mutating func add(event: Event) {
        if events.count == Self.maximumEvents { events.removeFirst() }
        events.append(event)
    }

    /// Adds a page, in place of an earlier one of the same query. A late page of an earlier query for the same part of
    /// the screen replaces no page of the present query.
    package mutating func add(_ page: Page, for query: Query) { pages[query] = page }

    /// Returns everything and forgets it: results first, then the events of the terminal, then the pages.
    package mutating func takeAll() -> [Item] {
        defer { self = TopInbox() }
        return results.map { .result($0) } + events.map { .event($0) } + pages.values.map { .page($0) }
    }
}
