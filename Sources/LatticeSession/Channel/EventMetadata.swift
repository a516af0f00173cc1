package import LatticeConcurrency
package import LatticeWire

/// The metadata that travels with an event: its deadline and its trace context.
package struct EventMetadata: Sendable, Equatable {
    /// The lines of the trace context with their size.
    ///
    /// They are stored behind one optional reference, which is nil for most events. An empty array would be
    /// reference-counted wherever an event is kept.
    private final class Lines: Sendable {
        let values: [String]
        let bytes: Int

        init(_ values: [String]) {
            self.values = values
            bytes = values.reduce(0) { $0 + $1.utf8.count }
        }
    }

    /// The time after which the event is rejected and its effects are cancelled.
    package let deadline: MonotonicDeadline
    private var lines: Lines?

    /// The metadata of an event without a deadline and without a trace context.
    package static let none = EventMetadata()

    /// Creates metadata from its parts.
    ///
    /// - Parameters:
    ///   - deadline: The deadline of the event.
    ///   - trace: The trace context as lines of the form KEY=VALUE, in ascending order of the keys.
    package init(deadline: MonotonicDeadline = .never, trace: [String] = []) {
        self.deadline = deadline
        lines = trace.isEmpty ? nil : Lines(trace)
    }

    /// Creates metadata from the context of a message that has just arrived.
    package init(_ context: TravelContext?) {
        guard let context else {
            self = .none
            return
        }
        self.init(deadline: MonotonicDeadline(leftMilliseconds: context.leftMilliseconds), trace: context.trace ?? [])
    }

    /// The lines of the trace context, each of the form KEY=VALUE.
    package var trace: [String] { lines?.values ?? [] }

    /// A Boolean value that indicates whether there is neither a deadline nor a trace context.
    package var isNone: Bool { lines == nil && deadline == .never }

    /// The memory in bytes that the trace context occupies while the event is kept.
    package var bytes: Int { lines?.bytes ?? 0 }

    /// Removes the trace context, which will not be sent again.
    mutating func dropTrace() {
        lines = nil
    }

    /// The metadata in the form of a message that is sent now. Nil if there is nothing to send.
    package var context: TravelContext? {
        guard !isNone else { return nil }
        return TravelContext(leftMilliseconds: deadline.leftMilliseconds, trace: lines?.values)
    }

    package static func == (left: EventMetadata, right: EventMetadata) -> Bool {
        left.deadline == right.deadline && left.trace == right.trace
    }
}
