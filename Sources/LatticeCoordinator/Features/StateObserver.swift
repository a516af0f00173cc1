import LatticeConcurrency
import LatticeCore
import LatticeSession

/// Passes the acknowledged states of an instance to the program: the newest one each time, and not more often than the
/// program has requested.
///
/// An observer belongs to an instance key. It outlives a closed instance whose last state is still being delivered. If
/// a new instance is created under the same key, its states follow.
final class StateObserver<State: Sendable>: StateObserving {
    /// A state to deliver.
    private struct Source {
        /// The number of the instance.
        let number: UInt64
        /// A closure that returns the newest state, or nil if there is none any more.
        let state: @Sendable () -> State?
    }

    private struct Core {
        /// The newest state that was not delivered yet, or nil if there is none.
        var newest: Source?
        /// Completes when the task that calls the hook has ended. Nil while no task runs.
        var running: OneShot<Void>?
        /// The number of the instance that exists under the key, or nil if it was closed.
        var present: UInt64?
        var last: UInt64 = 0
    }

    private let instance: RuntimeEvent.Instance
    private let hook: StateHook<State>
    private let events: RuntimeEvents
    private let core = Locked(Core())
    /// Completes when the coordinator stops, so that no interval is awaited any longer.
    private let hasStopped = OneShot<Void>()
    /// A closure that is called when the delivery of a state has ended, if the instance was closed in the meantime.
    private let onForgotten: @Sendable (StateObserver) -> Void

    init(
        _ instance: RuntimeEvent.Instance,
        _ hook: StateHook<State>,
        events: RuntimeEvents,
        onForgotten: @escaping @Sendable (StateObserver) -> Void
    ) {
        self.instance = instance
        self.hook = hook
        self.events = events
        self.onForgotten = onForgotten
    }

    /// Begins to observe a new instance.
    ///
    /// - Returns: The number of the instance.
    func begin() -> UInt64 {
        core.withLock { core in
            core.last += 1
            core.present = core.last
            return core.last
        }
    }

    /// Schedules the delivery of a newer state, which the closure `newest` returns. Does nothing if the instance with
    /// this number was closed.
    func changed(_ number: UInt64, _ newest: @escaping @Sendable () -> State?) {
        let isFirst = core.withLock { core in
            guard core.present == number else { return false }
            core.newest = Source(number: number, state: newest)
            defer { core.running = core.running ?? OneShot() }
            return core.running == nil
        }
        // The task is unstructured. The observer lives as long as the coordinator, which waits for the task in
        // `finish`.
        if isFirst { Task { await deliverStates() } }
    }

    func forget() -> Bool {
        core.withLock { core in
            core.newest = nil
            core.present = nil
            return core.running == nil
        }
    }

    func finish(within timeout: Duration) async {
        hasStopped.complete()
        await core.withLock { $0.running }?.wait(atMost: timeout)
    }

    private func deliverStates() async {
        // Only the first of several failures is reported.
        var hasFailed = false
        while let source = next() {
            guard let state = source.state() else { continue }
            do {
                try await hook.call(instance.key, state)
                hasFailed = false
            } catch {
                if !hasFailed {
                    events.emit(
                        .stateObserverFailed,
                        .stateObserverFailed(instance, reason: "\(error)", delay: hook.interval)
                    )
                }
                hasFailed = true
                // There is no further call when the coordinator stops.
                if !hasStopped.isComplete { retry(source) }
            }
            await hasStopped.wait(atMost: hook.interval)
        }
    }

    /// Removes the newest state. If there is none, the delivery ends.
    private func next() -> Source? {
        let (source, running, isForgotten) = core.withLock { core in
            let source = core.newest.take()
            return (source, source == nil ? core.running.take() : nil, core.present == nil)
        }
        running?.complete()
        if source == nil, isForgotten { onForgotten(self) }
        return source
    }

    /// Delivers a state again, unless there is a newer one or the instance was closed.
    private func retry(_ source: Source) {
        core.withLock { core in
            if core.newest == nil, core.present == source.number { core.newest = source }
        }
    }
}

/// A ``StateObserver`` for states of any type.
protocol StateObserving: AnyObject, Sendable {
    /// Stops delivering, because the instance was closed.
    ///
    /// - Returns: A Boolean value that indicates whether no state is being delivered.
    func forget() -> Bool

    /// Delivers the newest state if the program has an older one, and waits until the program has taken it.
    ///
    /// - Parameter timeout: The maximum time to wait.
    func finish(within timeout: Duration) async
}
