import LatticeConcurrency
import LatticeCore
import LatticeSession

/// Passes the acknowledged states of an instance to the program: the newest one each time, and not more often than the
/// program has requested.
///
/// An observer belongs to an instance key. It outlives a closed instance whose last state is still being delivered. If
/// a new instance is created under the same key, its states follow.
@MainActor final class StateObserver<State: Sendable>: StateObserving {
    private let instance: RuntimeEvent.Instance
    private let hook: StateHook<State>
    private let events: RuntimeEvents
    /// A closure that returns the newest state, or nil if no state is to be delivered.
    private var newest: (@MainActor () -> State?)?
    /// Completes when the task that calls the hook has ended. Nil while no task runs.
    private var running: OneShot<Void>?
    /// Completes when the coordinator stops, so that no interval is awaited any longer.
    private let hasStopped = OneShot<Void>()
    /// A Boolean value that indicates whether the last call failed. Only the first of several failures is reported.
    private var hasFailed = false
    /// A Boolean value that indicates whether the instance was closed since the last change.
    private var isForgotten = false
    /// A closure that is called when the delivery of a state has ended, if the instance was closed in the meantime.
    var onForgotten: (() -> Void)?

    init(_ instance: RuntimeEvent.Instance, _ hook: StateHook<State>, events: RuntimeEvents) {
        self.instance = instance
        self.hook = hook
        self.events = events
    }

    var isRunning: Bool { running != nil }

    /// Schedules the delivery of a newer state, which the closure `newest` returns.
    func changed(_ newest: @escaping @MainActor () -> State?) {
        self.newest = newest
        isForgotten = false
        guard running == nil else { return }
        let running = OneShot<Void>()
        self.running = running
        // The task is unstructured. The observer lives as long as the coordinator, which waits for the task in
        // `finish`.
        Task {
            await deliverStates()
            self.running = nil
            running.complete()
            if isForgotten { onForgotten?() }
        }
    }

    /// Stops delivering, because the instance was closed.
    func forget() {
        newest = nil
        isForgotten = true
    }

    /// Delivers the newest state if the program has an older one, and waits until the program has taken it.
    ///
    /// - Parameter timeout: The maximum time to wait.
    func finish(within timeout: Duration) async {
        hasStopped.complete()
        guard let running else { return }
        await running.wait(atMost: timeout)
    }

    private func deliverStates() async {
        while let source = newest.take(), let state = source() {
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
                // A newer state has priority. There is no further call when the coordinator stops.
                if newest == nil, !isForgotten, !hasStopped.isComplete { newest = source }
            }
            await hasStopped.wait(atMost: hook.interval)
        }
    }
}

/// A ``StateObserver`` for states of any type.
@MainActor protocol StateObserving: AnyObject {
    /// A Boolean value that indicates whether a state is being delivered or is about to be.
    var isRunning: Bool { get }

    func forget()
    func finish(within timeout: Duration) async
}
