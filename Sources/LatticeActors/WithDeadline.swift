import LatticeConcurrency

/// Runs an operation whose calls of actors have a deadline: what has no answer by then ends with
/// `ActorCallError.Code.deadlinePassed`, and what runs elsewhere for it is cancelled there.
///
/// ```swift
/// let image = try await withDeadline(.seconds(60)) { try await thumbnailer.thumbnail(of: path) }
/// ```
///
/// The deadline travels with each call, as the time that is left, and holds for the calls that its method makes. Inside
/// of one that is earlier it changes nothing. It is the moment that `Deadline.current` tells in effects of an event
/// with a deadline, whose calls have that without further ado. The operation itself is not cancelled.
///
/// - Parameters:
///   - limit: From now on.
///   - isolation: The caller's; leave it out.
/// - Throws: What the operation throws.
public func withDeadline<Result>(
    _ limit: Duration,
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Result
) async rethrows -> Result {
    let moment = ContinuousClock.now + limit
    let deadline = min(moment, TaskDeadline.current ?? moment)
    return try await TaskDeadline.$current.withValue(deadline, operation: operation)
}
