import LatticeConcurrency
import LatticeCore
package import LatticeSession
import LatticeWire

/// The context that a call carries from the calling task to the task that runs it.
extension CallContext {
    /// The context of the running task.
    package static var current: CallContext {
        CallContext(
            deadline: MonotonicDeadline.current,
            trace: TraceContext.currentLines,
            event: EventID.current.flatMap { $0.isWithinLimits ? WireEventName($0) : nil }
        )
    }

    /// Runs an asynchronous operation in a task with this context.
    package func around<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        guard !isEmpty else { return try await body() }
        guard let span else { return try await aroundFacts(body) }
        return try await span.withCurrent { try await aroundFacts(body) }
    }

    private func aroundFacts<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await MonotonicDeadline.$current.withValue(deadline) {
            try await TaskSubject.$current.withValue(.call(event.flatMap { EventID($0) })) {
                try await TraceContext.$currentLines.withValue(trace, operation: body)
            }
        }
    }

    /// Runs a synchronous operation with this context.
    package func around<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard !isEmpty else { return try body() }
        guard let span else { return try aroundFacts(body) }
        return try span.withCurrent { try aroundFacts(body) }
    }

    private func aroundFacts<Result>(_ body: () throws -> Result) rethrows -> Result {
        try MonotonicDeadline.$current.withValue(deadline) {
            try TaskSubject.$current.withValue(.call(event.flatMap { EventID($0) })) {
                try TraceContext.$currentLines.withValue(trace, operation: body)
            }
        }
    }
}
