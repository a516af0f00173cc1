/// How a call of ``Throttler/throttle(_:)`` ended.
public enum ThrottleResult<T: Sendable>: Sendable {
    /// The work has run.
    case executed(T)
    /// Another call of the same period ran instead, or it was cancelled.
    case skipped
}

extension ThrottleResult: Equatable where T: Equatable {}
