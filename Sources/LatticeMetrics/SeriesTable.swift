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
    private let core = Locked(Core())

    /// - Parameter make: Creates the handler of a series. It is called under a lock.
    init(
        _ definition: MetricDefinition,
        _ make: @escaping @Sendable (MetricDefinition, [(String, String)]) -> Handler
    ) {
        self.definition = definition
        self.make = make
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

    /// The values of the labels of all series within the bound.
    var known: [[String]] { core.withLock { Array($0.handlers.keys) } }
}
