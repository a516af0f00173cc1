/// How long something has been going on, without its pauses. A value: what time it is comes in.
struct Stopwatch: Sendable {
    private enum State {
        case stopped
        case running(since: ContinuousClock.Instant)
    }

    private var state = State.stopped
    /// Of the times it ran before.
    private var past: Duration = .zero

    /// Runs, from here on or as it does already.
    mutating func start(at now: ContinuousClock.Instant) {
        if case .stopped = state { state = .running(since: now) }
    }

    /// Stands still until it is started again.
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
