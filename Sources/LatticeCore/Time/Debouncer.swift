import LatticeConcurrency

/// Runs the last of several calls, once no other has come for a while.
///
/// ```swift
/// let debouncer = Debouncer<ContinuousClock, [City]>(for: .milliseconds(300))
/// let search = await debouncer.debounce { await cities(matching: text) }
/// if case .executed(let cities) = await search.value { show(cities) }
/// ```
///
/// A new call supersedes the one before it: its task ends at once with ``DebounceResult/superseded``, its wait or its
/// work is cancelled, and a result that comes all the same is dropped. Cancelling the task of a call does the same to
/// that call alone.
public actor Debouncer<C: Clock, T: Sendable> where C.Duration: Sendable {
    /// Every call is under the same key.
    static var key: EffectID { EffectID(0) }

    nonisolated let calls: DebounceCalls<C>

    /// - Parameters:
    ///   - duration: how long no other call may come.
    ///   - clock: what tells the time; by default the clock of the system.
    public init(for duration: C.Duration, clock: C = ContinuousClock()) {
        calls = DebounceCalls(for: duration, clock: clock)
    }

    /// Makes this the last call.
    ///
    /// The calls of one task are in its order, those of several tasks in the order in which they arrive.
    /// - Returns: at once, a task with the result.
    public func debounce(_ work: @escaping @Sendable () async -> T) -> Task<DebounceResult<T>, Never> {
        let call = calls.begin(Self.key) { _ in await work() }
        return Task(executorPreference: ThreadPool.shared) { await call.value(ifCancelled: .superseded) }
    }
}

/// How a call of ``Debouncer/debounce(_:)`` ended.
public enum DebounceResult<T: Sendable>: Sendable {
    /// The period passed without another call, and the work has run.
    case executed(T)
    /// A later call took its place, or it was cancelled.
    case superseded
}

extension DebounceResult: Equatable where T: Equatable {}
