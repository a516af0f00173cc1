package import LatticeWire

/// What travels with an event: until when somebody has a use for it, and in which trace it stands.
package struct EventMetadata: Sendable, Equatable {
    /// Behind one reference, which most events do not have: an empty list would be counted wherever an event is kept.
    private final class Lines: Sendable {
        let values: [String]
        let bytes: Int

        init(_ values: [String]) {
            self.values = values
            bytes = values.reduce(0) { $0 + $1.utf8.count }
        }
    }

    package let deadline: EventDeadline
    private var lines: Lines?

    /// What most events have.
    package static let none = EventMetadata()

    /// - Parameter trace: As KEY=VALUE, by ascending keys.
    package init(deadline: EventDeadline = .never, trace: [String] = []) {
        self.deadline = deadline
        lines = trace.isEmpty ? nil : Lines(trace)
    }

    /// As a message has it that has just come.
    package init(_ context: TravelContext?) {
        guard let context else {
            self = .none
            return
        }
        self.init(deadline: EventDeadline(leftMilliseconds: context.leftMilliseconds), trace: context.trace ?? [])
    }

    package var trace: [String] { lines?.values ?? [] }

    /// Whether nothing travels.
    package var isNone: Bool { lines == nil && deadline == .never }

    /// Bytes that are kept with an event.
    package var bytes: Int { lines?.bytes ?? 0 }

    /// Nobody is told of the trace any more.
    mutating func dropTrace() {
        lines = nil
    }

    /// As a message has it that goes out now; nil: nothing travels.
    package var context: TravelContext? {
        guard !isNone else { return nil }
        return TravelContext(leftMilliseconds: deadline.leftMilliseconds, trace: lines?.values)
    }

    package static func == (left: EventMetadata, right: EventMetadata) -> Bool {
        left.deadline == right.deadline && left.trace == right.trace
    }
}
