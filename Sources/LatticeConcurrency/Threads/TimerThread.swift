import Dispatch

/// A thread that runs timers and does little else, so that timers fire on time while other threads compute.
///
/// `ContinuousClock.sleep` resumes on Swift's thread pool, which has as many threads as there are cores. If these are
/// busy, the sleep ends late.
package final class TimerThread: Sendable {
    /// The instance of this process.
    package static let shared = TimerThread()

    /// The maximum duration of one wait in nanoseconds. A wait uses a clock that stops while the machine sleeps, so a
    /// longer wait is checked again.
    private static let maximumWait: Int64 = 10_000_000_000

    private struct State {
        var timers = Timers()
        var isRunning = false
        /// The time at which the thread wakes up by itself, or nil while it is awake.
        var wakes: Int64?
    }

    private let state = Locked(State())
    private let parking = Parking()

    /// Runs a closure after a delay, or at once if the delay is negative.
    ///
    /// The closure runs on the thread of the timers, so it must be short and must not block.
    @discardableResult
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Timers.Key {
        let (moment, overflow) = MonotonicTime.withSleep.addingReportingOverflow(delay.nanoseconds)
        let (key, isFirst, starts) = state.withLock { state -> (Timers.Key, Bool, Bool) in
            let key = state.timers.add(at: overflow ? .max : moment, work)
            defer { state.isRunning = true }
            guard let wakes = state.wakes, moment < wakes else { return (key, false, !state.isRunning) }
            // Later callers need not wake the thread again.
            state.wakes = nil
            return (key, true, false)
        }
        if isFirst { parking.unpark() }
        if starts { start() }
        return key
    }

    /// Starts the thread, unless it runs already. The first timer also starts it.
    package func begin() {
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { start() }
    }

    /// Cancels a timer. Does nothing if its closure has begun to run.
    package func cancel(_ key: Timers.Key) {
        state.withLock { $0.timers.cancel(key) }
    }

    private func start() {
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: "lattice-timers", isBrief: true) { self.run() }
        } catch {
            // The timers are late. This retry or the next timer starts the thread.
            state.withLock { $0.isRunning = false }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { self.startAgain() }
        }
    }

    private func startAgain() {
        if state.withLock({ !$0.timers.isEmpty }) { begin() }
    }

    private func run() {
        while true {
            let (due, wait) = state.withLock { state -> ([@Sendable () -> Void], Int64?) in
                let now = MonotonicTime.withSleep
                let due = state.timers.takeDue(now)
                guard due.isEmpty else { return (due, 0) }
                let first = state.timers.first()
                let wait = first.map { min($0 - now, Self.maximumWait) }
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
    /// Sleeps until a point in time.
    ///
    /// With a clock of the system the sleep ends on time even if Swift's thread pool is busy, provided that the waiting
    /// task does not need that pool either.
    package func wait(until deadline: Instant) async throws {
        guard left(until: deadline) != nil else { return try await sleep(until: deadline, tolerance: nil) }
        try Task.checkCancellation()
        let end = OneShot<Void>()
        end.complete(at: deadline, on: self) { _ in }
        defer { end.complete() }
        try await end.value
    }

    /// Sleeps for a duration, in the same way as ``wait(until:)``.
    package func wait(for duration: Duration) async throws {
        try await wait(until: now.advanced(by: duration))
    }

    /// Returns the time until a deadline by a clock of the system, or nil for other clocks, whose instants may have the
    /// same type.
    func left(until deadline: Instant) -> Swift.Duration? {
        switch (self, deadline) {
        case (let clock as ContinuousClock, let deadline as ContinuousClock.Instant): clock.now.duration(to: deadline)
        case (let clock as SuspendingClock, let deadline as SuspendingClock.Instant): clock.now.duration(to: deadline)
        default: nil
        }
    }
}
