import LatticeConcurrency
import LatticeCore
package import LatticeSession
import LatticeWire

/// What a call takes along from the task that makes it to the one that runs it.
extension CallContext {
    /// Those of the running task.
    package static var current: CallContext {
        CallContext(
            deadline: TaskDeadline.current.map { EventDeadline($0) } ?? .never,
            trace: TraceContext.currentLines,
            event: EventID.current.flatMap { $0.isWithinLimits ? WireEventName($0) : nil }
        )
    }

    /// Runs something whose task knows them.
    package func around<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        guard !isEmpty else { return try await body() }
        return try await TaskDeadline.$current.withValue(deadline.moment) {
            try await EventID.$current.withValue(event.flatMap { EventID($0) }) {
                try await TraceContext.$currentLines.withValue(trace, operation: body)
            }
        }
    }

    /// The same of what does not await.
    package func around<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard !isEmpty else { return try body() }
        return try TaskDeadline.$current.withValue(deadline.moment) {
            try EventID.$current.withValue(event.flatMap { EventID($0) }) {
                try TraceContext.$currentLines.withValue(trace, operation: body)
            }
        }
    }
}
