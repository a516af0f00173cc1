import Dispatch

/// One thread that waits for moments and does little else: on time whatever the threads that compute do.
///
/// `ContinuousClock.sleep` ends on Swift's own threads, of which there are as many as cores: where these are busy it
/// ends when they are not.
package final class TimerThread: Sendable {
    package static let shared = TimerThread()

    /// The wait itself goes by a clock that stands still while the machine sleeps: whoever waits for longer looks
    /// again.
    private static let longestWait: Int64 = 10_000_000_000

    private struct State {
        var timers = Timers()
        var isRunning = false
        /// When the thread wakes by itself; nil while it is awake.
        var wakes: Int64?
    }

    private let state = Locked(State())
    private let parking = Parking()

    /// Does `work` when `delay` is over, or at once if it is negative: on the thread that others wait for, so it must
    /// be short and must not wait.
    @discardableResult
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Timers.Key {
        let (moment, overflow) = MonotonicTime.withSleep.addingReportingOverflow(delay.nanoseconds)
        let (key, isFirst, starts) = state.withLock { state -> (Timers.Key, Bool, Bool) in
            let key = state.timers.add(at: overflow ? .max : moment, work)
            defer { state.isRunning = true }
            guard let wakes = state.wakes, moment < wakes else { return (key, false, !state.isRunning) }
            // Whoever comes next need not call it again.
            state.wakes = nil
            return (key, true, false)
        }
        if isFirst { parking.unpark() }
        if starts { start() }
        return key
    }

    /// Does nothing if the work has begun.
    package func cancel(_ key: Timers.Key) {
        state.withLock { $0.timers.cancel(key) }
    }

    private func start() {
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: "lattice-timers", isBrief: true) { self.run() }
        } catch {
            // What waits is late: this or the next timer tries again.
            state.withLock { $0.isRunning = false }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { self.startAgain() }
        }
    }

    private func startAgain() {
        let starts = state.withLock { state in
            guard !state.isRunning, !state.timers.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        if starts { start() }
    }

    private func run() {
        while true {
            let (due, wait) = state.withLock { state -> ([@Sendable () -> Void], Int64?) in
                let now = MonotonicTime.withSleep
                let due = state.timers.takeDue(now)
                guard due.isEmpty else { return (due, 0) }
                let first = state.timers.first()
                let wait = first.map { min($0 - now, Self.longestWait) }
                state.wakes = wait.map { now + $0 } ?? .max
                return (due, wait)
            }
            for work in due { work() }
            guard due.isEmpty else { continue }
            _ = parking.park(nanoseconds: wait)
            state.withLock { $0.wakes = nil }
        }
    }
}

extension Clock {
    /// Sleeps until a moment. By a clock of the system it is on time whatever Swift's own threads do, if the task that
    /// waits does not need them either.
    package func wait(until deadline: Instant) async throws {
        guard left(until: deadline) != nil else { return try await sleep(until: deadline, tolerance: nil) }
        try Task.checkCancellation()
        let end = OneShot<Void>()
        end.complete(at: deadline, on: self) { _ in }
        defer { end.complete() }
        try await end.value
    }

    /// Sleeps for a while, as ``wait(until:)`` does.
    package func wait(for duration: Duration) async throws {
        try await wait(until: now.advanced(by: duration))
    }

    /// How long it is until then by a clock of the system; nil for another clock, which may have the same instants.
    func left(until deadline: Instant) -> Swift.Duration? {
        switch (self, deadline) {
        case (let clock as ContinuousClock, let deadline as ContinuousClock.Instant): clock.now.duration(to: deadline)
        case (let clock as SuspendingClock, let deadline as SuspendingClock.Instant): clock.now.duration(to: deadline)
        default: nil
        }
    }
}
