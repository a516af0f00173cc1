import LatticeConcurrency

/// Runs at most one of the calls within a period.
///
/// ```swift
/// let throttler = Throttler<ContinuousClock, Void>(for: .seconds(1))
/// await throttler.throttle { await report(progress) }
/// ```
///
/// Work that runs is left alone: a later call does not cancel it, and two calls overlap if the first one takes longer
/// than the period.
public actor Throttler<C: Clock, T: Sendable> where C.Duration: Sendable {
    /// Every call is under the same key.
    static var key: EffectID { EffectID(0) }

    nonisolated let calls: ThrottleCalls<C>

    /// - Parameters:
    ///   - duration: how long a period is.
    ///   - clock: what tells the time; by default the clock of the system.
    ///   - edges: which of the calls within one period run.
    public init(for duration: C.Duration, clock: C = ContinuousClock(), edges: ThrottleEdges = .both) {
        calls = ThrottleCalls(for: duration, clock: clock, edges: edges)
    }

    /// Makes a call.
    /// - Returns: at once, a task with the result. Cancelling it cancels the call and its work.
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
    /// Another call of the same period ran instead, or it was cancelled.
    case skipped
}

extension ThrottleResult: Equatable where T: Equatable {}
