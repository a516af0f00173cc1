import LatticeConcurrency

/// The series of one metric, by the values of their labels. Their number is bounded.
final class SeriesTable<Handler: Sendable>: Sendable {
    private struct Core {
        var handlers: [[String]: Handler] = [:]
        /// The series for what exceeds the bound.
        var other: Handler?
    }

    private let definition: MetricDefinition
    private let make: @Sendable (MetricDefinition, [(String, String)]) -> Handler
    private let destroy: @Sendable (Handler) -> Void
    private let core = Locked(Core())

    /// - Parameters:
    ///   - make: Creates the handler of a series. It is called under a lock.
    ///   - destroy: Ends a handler that ``makeRoom(for:where:)`` has removed.
    init(
        _ definition: MetricDefinition,
        _ make: @escaping @Sendable (MetricDefinition, [(String, String)]) -> Handler,
        destroy: @escaping @Sendable (Handler) -> Void = { _ in }
    ) {
        self.definition = definition
        self.make = make
        self.destroy = destroy
    }

    /// Returns the handler of a series, which is created if it does not exist yet.
    func callAsFunction(_ values: String...) -> Handler { handler(values).handler }

    /// Returns the handler of a series, and whether it is the one for what exceeds the bound.
    func handler(_ values: [String]) -> (handler: Handler, isOther: Bool) {
        core.withLock { core in
            if let handler = core.handlers[values] { return (handler, false) }
            if core.handlers.count < definition.maximumSeries {
                let handler = make(definition, definition.dimensions(values))
                core.handlers[values] = handler
                return (handler, false)
            }
            if let other = core.other { return (other, true) }
            let values = definition.labels.map { _ in MetricDefinition.otherValue }
            let other = make(definition, definition.dimensions(values))
            core.other = other
            return (other, true)
        }
    }

    /// Removes series, if there would be too many with those that follow.
    ///
    /// - Parameters:
    ///   - next: The values of the labels of the series that follow.
    ///   - isUnused: Returns whether a series can be removed.
    func makeRoom(for next: [[String]], where isUnused: ([String]) -> Bool) {
        let removed = core.withLock { core -> [Handler] in
            let count = core.handlers.count + next.count { core.handlers[$0] == nil }
            guard count > definition.maximumSeries else { return [] }
            return core.handlers.keys.filter(isUnused).prefix(count - definition.maximumSeries)
                .compactMap { core.handlers.removeValue(forKey: $0) }
        }
        for handler in removed { destroy(handler) }
    }

    /// The series for what exceeds the bound, or nil if nothing has exceeded it.
    var other: Handler? { core.withLock(\.other) }

    /// The values of the labels of all series within the bound.
    var known: [[String]] { core.withLock { Array($0.handlers.keys) } }
}
