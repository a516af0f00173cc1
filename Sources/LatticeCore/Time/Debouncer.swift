import LatticeConcurrency

/// Runs the last of several calls, when no further call has arrived for a period of time.
///
/// ```swift
/// let debouncer = Debouncer<ContinuousClock, [City]>(for: .milliseconds(300))
/// let search = await debouncer.debounce { await cities(matching: text) }
/// if case .executed(let cities) = await search.value { show(cities) }
/// ```
///
/// A new call supersedes the previous one. The task of the previous call ends at once with
/// ``DebounceResult/superseded``, its wait or its work is cancelled, and a late result is dropped. Cancelling the task
/// of a call has the same effect on that call alone.
public actor Debouncer<C: Clock, T: Sendable> where C.Duration: Sendable {
    /// The single key of all calls.
    static var key: EffectID { EffectID(0) }

    nonisolated let calls: DebounceCalls<C>

    /// Creates a debouncer.
    /// - Parameters:
    ///   - duration: The time without another call after which a call runs.
    ///   - clock: The clock that measures the time. The default is the system's continuous clock.
    public init(for duration: C.Duration, clock: C = ContinuousClock()) {
        calls = DebounceCalls(for: duration, clock: clock)
    }

    /// Makes a call, which supersedes the previous one.
    ///
    /// The calls of one task are made in its order, and the calls of several tasks in the order of their arrival.
    /// - Returns: A task with the result. The method returns it at once.
    public func debounce(_ work: @escaping @Sendable () async -> T) -> Task<DebounceResult<T>, Never> {
        let call = calls.begin(Self.key) { _ in await work() }
        return Task(executorPreference: ThreadPool.shared) { await call.value(ifCancelled: .superseded) }
    }
}

/// How a call of ``Debouncer/debounce(_:)`` ended.
public enum DebounceResult<T: Sendable>: Sendable {
    /// The period ended without another call, and the work has run.
    case executed(T)
    /// A later call superseded this one, or it was cancelled.
    case superseded
}

extension DebounceResult: Equatable where T: Equatable {}
