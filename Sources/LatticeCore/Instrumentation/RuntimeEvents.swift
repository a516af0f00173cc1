/// The sink of runtime events: it passes each event to the observers that are interested in its kind.
///
/// An event that no observer is interested in costs a load and a branch. Code that runs for each event of a client asks
/// ``wants(_:)`` once and keeps the answer, which saves the call. Nothing may be emitted while a lock is held, because
/// observers are code of the program.
package struct RuntimeEvents: Sendable {
    /// The sink of a process without observers.
    package static let none = RuntimeEvents([])

    private let interest: RuntimeEvent.Kinds
    private let observers: [RuntimeObserver]
    /// The tracer of the process, or nil if nothing is traced. Code that runs for each event keeps it.
    package let tracer: (any RuntimeTracer)?

    /// Creates a sink for some observers, which are called in this order.
    package init(_ observers: [RuntimeObserver]) {
        self.observers = observers
        interest = observers.reduce([]) { $0.union($1.interest) }
        tracer = observers.lazy.compactMap(\.tracer).first
    }

    /// Returns whether some observer is interested in a kind. The answer never changes.
    package func wants(_ kind: RuntimeEvent.Kind) -> Bool { interest.contains(kind) }

    /// Returns whether some observer uses the output of workers that has this level. The answer changes if the level of
    /// a logger does.
    package func takesOutput(at level: RuntimeEvent.Level) -> Bool {
        observers.contains { $0.takesOutput(at: level) }
    }

    /// Passes an event to the observers that are interested in its kind.
    ///
    /// - Parameters:
    ///   - kind: The kind of the event.
    ///   - event: The event. It is created only if an observer is interested in it.
    package func emit(_ kind: RuntimeEvent.Kind, _ event: @autoclosure () -> RuntimeEvent) {
        if interest.contains(kind) { deliver(event(), kind) }
    }

    @inline(never)
    private func deliver(_ event: RuntimeEvent, _ kind: RuntimeEvent.Kind) {
        assert(event.kind == kind, "An event is emitted under its own kind.")
        for observer in observers where observer.interest.contains(kind) { observer.receive(event) }
    }
}
