import LatticeConcurrency
import LatticeSession
import Logging

/// Gives the acknowledged states of an instance to the program: the newest one each time, and not too often.
///
/// It belongs to a key, and outlives an instance whose last state is being given: an instance that is made under the
/// same key comes after it.
@MainActor final class StateObserver<State: Sendable>: StateObserving {
    private let instance: String
    private let hook: StateHook<State>
    private let logger: Logger
    /// Gives the newest state; nil while there is nothing to be given.
    private var newest: (@MainActor () -> State?)?
    /// Complete when the task that calls the hook has ended; nil while none runs.
    private var running: OneShot<Void>?
    /// Complete when nothing more is waited for.
    private let hasStopped = OneShot<Void>()
    /// Whether the last call has failed, which is logged once.
    private var hasFailed = false
    /// Whether the instance was closed since the last change.
    private var isForgotten = false
    /// Called when nothing is given any more of an instance that was closed while a state was being given.
    var onForgotten: (() -> Void)?

    init(_ instance: String, _ hook: StateHook<State>, logger: Logger) {
        self.instance = instance
        self.hook = hook
        self.logger = logger
    }

    var isRunning: Bool { running != nil }

    /// There is a newer state, which `newest` gives when it is asked for.
    func changed(_ newest: @escaping @MainActor () -> State?) {
        self.newest = newest
        isForgotten = false
        guard running == nil else { return }
        let running = OneShot<Void>()
        self.running = running
        // Parentless: the instance lives as long as the coordinator, which waits for this in `finish`.
        Task {
            await giveStates()
            self.running = nil
            running.complete()
            if isForgotten { onForgotten?() }
        }
    }

    /// The instance is gone: nothing more is given of it.
    func forget() {
        newest = nil
        isForgotten = true
    }

    /// Gives the newest state if the program has an older one, and returns when it has taken it or when `limit` has
    /// passed.
    func finish(within limit: Duration) async {
        hasStopped.complete()
        guard let running else { return }
        await running.wait(atMost: limit)
    }

    private func giveStates() async {
        while let source = newest.take(), let state = source() {
            do {
                try await hook.call(instance, state)
                hasFailed = false
            } catch {
                if !hasFailed {
                    logger.error(
                        "what observes the states of instance \"\(instance)\" has failed, and is called again: \(error)"
                    )
                }
                hasFailed = true
                // A newer state takes its place. When the coordinator stops there is no further call.
                if newest == nil, !isForgotten, !hasStopped.isComplete { newest = source }
            }
            await hasStopped.wait(atMost: hook.interval)
        }
    }
}

/// A ``StateObserver`` whatever its state.
@MainActor protocol StateObserving: AnyObject {
    /// Whether a state is being given, or is about to be.
    var isRunning: Bool { get }

    func forget()
    func finish(within limit: Duration) async
}
