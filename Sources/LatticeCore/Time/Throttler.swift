import LatticeConcurrency

/// Limits the calls within a period: the first one, the last one, or both run.
///
/// ```swift
/// let throttler = Throttler<ContinuousClock, Void>(for: .seconds(1))
/// await throttler.throttle { await report(progress) }
/// ```
///
/// Running work is never cancelled by a later call. Two calls overlap if the first one takes longer than the period.
public actor Throttler<C: Clock, T: Sendable> where C.Duration: Sendable {
    /// The single key of all calls.
    static var key: EffectID { EffectID(0) }

    nonisolated let calls: ThrottleCalls<C>

    /// Creates a throttler.
    /// - Parameters:
    ///   - duration: The length of a period.
    ///   - clock: The clock that measures the time. The default is the system's continuous clock.
    ///   - edges: The calls of a period that run.
    public init(for duration: C.Duration, clock: C = ContinuousClock(), edges: ThrottleEdges = .both) {
        calls = ThrottleCalls(for: duration, clock: clock, edges: edges)
    }

    /// Makes a call.
    /// - Returns: A task with the result. The method returns it at once. Cancelling the task cancels the call and its
    ///   work.
    @discardableResult
    public func throttle(_ work: @escaping @Sendable () async -> T) -> Task<ThrottleResult<T>, Never> {
        let call = calls.begin(Self.key, work)
        return Task(executorPreference: ThreadPool.shared) { await call() }
    }
}

/// How a call of ``Throttler/throttle(_:)`` ended.
public enum ThrottleResult<T: Sendable>: Sendable {
    /// The work has run.
    case executed(T)
    /// Another call of the same period ran instead, or this call was cancelled.
    case skipped
}

extension ThrottleResult: Equatable where T: Equatable {}
