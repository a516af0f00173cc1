/// The state machine of one attempt of a job: when the job is cancelled, and when its worker is ended.
///
/// The time and the measurements are arguments. An input that does not fit the phase arrived late or twice, and returns
/// no order.
struct JobAttemptState: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The reason for which an attempt is stopped.
    enum Stop: Sendable, Equatable {
        /// The job passed this limit.
        case limit(PassedJobLimit)
        /// The program cancelled the job.
        case cancelled

        /// Whether the job has too much memory.
        var isMemory: Bool { if case .limit(.memory) = self { true } else { false } }
    }

    enum Phase: Sendable, Equatable {
        /// The job was sent to its worker ahead and has not begun, so its limits do not count yet.
        case ahead
        /// The job runs within its limits.
        case running
        /// The task of the job was cancelled. The worker is ended at this time.
        case cancelling(Stop, until: Instant)
        /// The worker was ended.
        case ending(Stop)
        /// The worker was ended for another job, so this attempt counts for nothing unless it has an output.
        case interrupted
    }

    /// The step to take.
    enum Order: Sendable, Equatable {
        /// Cancel the task of the job, in its worker.
        case cancel
        /// End the worker.
        case endWorker(Stop)
    }

    /// The resources that the worker uses. A value is nil if it is not known.
    struct Usage: Sendable, Equatable {
        /// The CPU time of the worker since its start.
        var cpuTime: Duration?
        /// The memory of the worker in bytes.
        var memoryBytes: Int?
    }

    /// The time that a worker has to say that a job which was cancelled has not begun, at least. It is short for a
    /// process and long for an event loop.
    static let takeBackTimeout: Duration = .milliseconds(250)

    private(set) var phase: Phase
    /// When the job began, or was sent if it has not.
    private(set) var start: Instant
    private let limits: JobLimits
    /// The CPU time of the worker when the attempt began, or nil until it is measured. Without it the CPU time of the
    /// attempt is not known, because the worker has run others.
    private var firstCPUTime: Duration?
    private var lastReport: Instant

    /// - Parameters:
    ///   - start: When the job was sent to its worker.
    ///   - phase: `running`, or `ahead` if the job begins later.
    ///   - cpuTime: The CPU time of the worker at that time, or nil if it is not measured yet.
    init(_ limits: JobLimits, at start: Instant, _ phase: Phase = .running, cpuTime: Duration? = nil) {
        self.phase = phase
        self.limits = limits
        self.start = start
        firstCPUTime = cpuTime
        lastReport = start
    }

    /// Records that a job which was sent ahead begins.
    mutating func begin(at now: Instant) {
        if phase == .ahead { phase = .running }
        (start, lastReport) = (now, now)
    }

    /// Records the CPU time of the worker before the job was sent to it.
    mutating func begins(withCPUTime time: Duration) {
        firstCPUTime = time
    }

    /// The reason for which the attempt was stopped, or nil.
    var stop: Stop? {
        switch phase {
        case .ahead, .running, .interrupted: nil
        case .cancelling(let stop, _), .ending(let stop): stop
        }
    }

    /// Whether the worker was ended, although its process may still exist.
    var endsWorker: Bool { if case .ending = phase { true } else { false } }

    /// Records that the job reported progress.
    mutating func reported(at now: Instant) {
        lastReport = max(lastReport, now)
    }

    /// Cancels the job.
    mutating func cancel(at now: Instant) -> Order? {
        switch phase {
        case .ahead:
            phase = .cancelling(.cancelled, until: now + max(limits.gracePeriod, Self.takeBackTimeout))
            return .cancel
        case .running: return stop(.cancelled, at: now, .cancelFirst)
        case .interrupted:
            phase = .ending(.cancelled)
            return nil
        case .cancelling, .ending: return nil
        }
    }

    /// Records that the worker was ended for another job.
    mutating func interrupt() {
        switch phase {
        case .ahead, .running: phase = .interrupted
        case .cancelling, .ending, .interrupted: break
        }
    }

    /// Compares the attempt with its limits.
    mutating func check(at now: Instant, _ usage: Usage) -> Order? {
        switch phase {
        case .running: return passed(at: now, usage).flatMap { stop(.limit($0), at: now, limits.action) }
        case .cancelling(let stop, let until):
            guard now >= until else { return nil }
            phase = .ending(stop)
            return .endWorker(stop)
        case .ahead, .ending, .interrupted: return nil
        }
    }

    /// Returns the delay before the next check, or nil if none is needed.
    func nextCheck(after now: Instant) -> Duration? {
        switch phase {
        case .running:
            let times = [
                limits.wallTime.map { start + $0 }, limits.silence.map { lastReport + $0 },
                measures ? now + JobLimits.measuringInterval : nil,
            ]
            return times.compactMap(\.self).min().map { now.duration(to: $0) }
        case .cancelling(_, let until): return now.duration(to: until)
        case .ahead, .ending, .interrupted: return nil
        }
    }

    /// Whether the worker's use of resources is needed for a check.
    var measures: Bool { phase == .running && limits.measureWorker }

    private mutating func stop(_ stop: Stop, at now: Instant, _ action: JobLimits.Action) -> Order {
        guard action == .cancelFirst, limits.gracePeriod > .zero else {
            phase = .ending(stop)
            return .endWorker(stop)
        }
        phase = .cancelling(stop, until: now + limits.gracePeriod)
        return .cancel
    }

    private func passed(at now: Instant, _ usage: Usage) -> PassedJobLimit? {
        if let limit = limits.memoryBytes, let bytes = usage.memoryBytes, bytes > limit {
            return .memory(reached: bytes, limit: limit)
        }
        if let limit = limits.cpuTime, let time = usage.cpuTime, let firstCPUTime, time - firstCPUTime > limit {
            return .cpuTime(reached: time - firstCPUTime, limit: limit)
        }
        if let limit = limits.wallTime, start.duration(to: now) >= limit {
            return .wallTime(reached: start.duration(to: now), limit: limit)
        }
        if let limit = limits.silence, lastReport.duration(to: now) >= limit {
            return .silence(reached: lastReport.duration(to: now), limit: limit)
        }
        return nil
    }
}
