import LatticeConcurrency

/// Runs an operation whose calls of actors have a deadline.
///
/// A call without an answer at the deadline ends with `ActorCallError.Code.deadlinePassed`, and its method is cancelled
/// in the actor's process.
///
/// ```swift
/// let image = try await withDeadline(.now + .seconds(60)) { try await thumbnailer.thumbnail(of: path) }
/// ```
///
/// The deadline travels with each call as the remaining time, and also applies to the calls that the called method
/// makes. If an earlier deadline is already in effect, this function changes nothing. In effects of an event with a
/// deadline, `Deadline.current` is that deadline, and calls of actors use it without this function. The operation
/// itself is not cancelled at the deadline.
///
/// - Parameters:
///   - deadline: The deadline of the calls. If it has passed, the calls are not sent.
///   - isolation: The isolation of the caller. Do not pass it.
///   - operation: The operation that calls actors.
/// - Returns: The result of the operation.
/// - Throws: Any error that the operation throws.
public func withDeadline<Result>(
    _ deadline: ContinuousClock.Instant,
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Result
) async rethrows -> Result {
    let earlier = min(MonotonicDeadline(deadline), MonotonicDeadline.current)
    return try await MonotonicDeadline.$current.withValue(earlier, operation: operation)
}
