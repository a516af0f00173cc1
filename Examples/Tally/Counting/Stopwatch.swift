/// A stopwatch that can be paused. It is a value, and the current time is passed in.
struct Stopwatch: Sendable {
    private enum State {
        case stopped
        case running(since: ContinuousClock.Instant)
    }

    private var state = State.stopped
    /// The duration of the earlier runs.
    private var past: Duration = .zero

    /// Starts the stopwatch, or lets it continue if it is running.
    mutating func start(at now: ContinuousClock.Instant) {
        if case .stopped = state { state = .running(since: now) }
    }

    /// Pauses the stopwatch until it is started again.
    mutating func stop(at now: ContinuousClock.Instant) {
        past = elapsed(at: now)
        state = .stopped
    }

    func elapsed(at now: ContinuousClock.Instant) -> Duration {
        switch state {
        case .stopped: past
        case .running(let start): past + start.duration(to: now)
        }
    }
}
