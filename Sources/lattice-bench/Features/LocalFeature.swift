import LatticeCore

/// A counter in this process, with and without effects.
enum LocalFeature {
    enum Action: Sendable {
        case add
        /// Starts an effect that ends with `loaded`.
        case load(Int)
        case loaded(Int)
        /// Starts an effect that ends with `add` when all effects have arrived at the latch.
        case meet(Latch)
        /// Starts an effect that runs until it is cancelled, and that reports when it is running and when it has ended.
        case hold(running: Latch, ended: Latch)
        /// Starts an effect that computes until the flag is set.
        case compute(StopSign)
        /// Starts an effect that fails after the given time.
        case fail(after: Duration)
        /// Starts a stream of the given number of `loaded` actions.
        case observe(Int)
    }

    struct State: Equatable, Sendable {
        var count = 0
    }

    struct Shown: Equatable, Sendable {
        var count = 0
        var isEven = true
    }

    static var feature: Feature<Action, State, Shown> {
        Feature(
            interactor: Interact<State, Action> { state, action in
                switch action {
                case .add:
                    state.count += 1
                    return .none
                case .load(let count):
                    return .perform { .loaded(count) }
                case .loaded(let count):
                    state.count = count
                    return .none
                case .meet(let latch):
                    return .perform {
                        await latch.arrive()
                        return .add
                    }
                case .hold(let running, let ended):
                    return .run { _ in
                        await running.arrive()
                        try? await Task.sleep(for: .seconds(60))
                        await ended.arrive()
                    }
                case .compute(let stop):
                    return .perform {
                        while !stop.isSet {}
                        return nil
                    }
                case .fail(let limit):
                    return .perform {
                        try await Task.sleep(for: .seconds(60))
                        return nil
                    }
                    .timeout(limit).catch { _ in .add }
                case .observe(let count):
                    return .observe { numbers(count) }
                }
            },
            reducer: BuildViewState<State, Shown>(initial: { _ in Shown() }) { state, shown in
                shown.count = state.count
                shown.isEven = state.count.isMultiple(of: 2)
            }
        )
    }

    private static func numbers(_ count: Int) -> AsyncStream<Action> {
        AsyncStream { continuation in
            for number in 1...count { continuation.yield(.loaded(number)) }
            continuation.finish()
        }
    }
}
