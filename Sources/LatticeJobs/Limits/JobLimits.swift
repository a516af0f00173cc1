/// The resources that one attempt of a job may use.
///
/// An attempt that passes a limit ends its worker process, and no other one. The error names the limit and the value
/// that was reached. The next worker starts at once and does not count against the restart limit of its group. If
/// workers run several jobs at a time, the other jobs of the worker begin again, and a job with ``cpuTime`` or
/// ``memoryBytes`` has a worker to itself.
///
/// ```swift
/// let limits = JobLimits(wallTime: .seconds(60), memoryBytes: 512 << 20)
/// ```
public struct JobLimits: Sendable, Hashable, Codable {
    /// What happens when an attempt passes a limit.
    public enum Action: String, Sendable, Hashable, Codable {
        /// The worker is killed at once.
        case endWorker
        /// The task of the job is cancelled. The worker is killed if the job has not ended after the grace period. A
        /// job that still returns its output within the grace period has succeeded.
        case cancelFirst
    }

    /// The maximum time from the start of an attempt to its end. If nil, there is no limit. The value must be at least
    /// ``minimumTime``.
    public var wallTime: Duration?
    /// The maximum CPU time of the worker's process during an attempt, on all processors together. It does not include
    /// other programs that the job starts. If nil, there is no limit. The value must be at least ``minimumTime``. The
    /// time is measured every 50 milliseconds.
    public var cpuTime: Duration?
    /// The maximum memory of the worker's process in bytes, without mapped files. It includes what the worker used
    /// before the job. If nil, there is no limit. The value must be at least ``minimumMemoryBytes``. The memory is
    /// measured every 50 milliseconds, and between two measurements a job can use more.
    public var memoryBytes: Int?
    /// The maximum time without a progress report or a printed line. If nil, there is no limit. The value must be at
    /// least ``minimumSilence``, because reports arrive at most every 50 milliseconds.
    public var silence: Duration?
    /// What happens when an attempt passes a limit. The default is ``Action/endWorker``.
    public var action: Action
    /// The time that a cancelled job has to end before its worker is killed. It also applies when the job is cancelled
    /// by the program. The default is ``defaultGracePeriod``. With zero, the worker is killed at once.
    public var gracePeriod: Duration

    /// The default value of ``gracePeriod``: 2 seconds.
    public static var defaultGracePeriod: Duration { .seconds(2) }
    /// The minimum value of ``wallTime`` and ``cpuTime``: 10 milliseconds. Sending a job takes a part of it.
    public static var minimumTime: Duration { .milliseconds(10) }
    /// The minimum value of ``silence``: 250 milliseconds.
    public static var minimumSilence: Duration { .milliseconds(250) }
    /// The minimum value of ``memoryBytes``: 1 MiB. No worker can run with less.
    public static var minimumMemoryBytes: Int { 1 << 20 }
    /// The interval between two measurements of CPU time and memory. A measurement takes a few microseconds.
    static let measuringInterval: Duration = .milliseconds(50)

    /// Creates limits. By default there are none.
    ///
    /// - Parameters:
    ///   - wallTime: The maximum time of an attempt, or nil.
    ///   - cpuTime: The maximum CPU time of an attempt, or nil.
    ///   - memoryBytes: The maximum memory of the worker's process in bytes, or nil.
    ///   - silence: The maximum time without a progress report or a printed line, or nil.
    ///   - action: What happens when an attempt passes a limit.
    ///   - gracePeriod: The time that a cancelled job has to end.
    public init(
        wallTime: Duration? = nil,
        cpuTime: Duration? = nil,
        memoryBytes: Int? = nil,
        silence: Duration? = nil,
        action: Action = .endWorker,
        gracePeriod: Duration = JobLimits.defaultGracePeriod
    ) {
        self.wallTime = wallTime
        self.cpuTime = cpuTime
        self.memoryBytes = memoryBytes
        self.silence = silence
        self.action = action
        self.gracePeriod = gracePeriod
    }

    /// Whether the use of resources of the worker is measured. Those of one job cannot be told apart from those of
    /// another one in the same process.
    var measureWorker: Bool { cpuTime != nil || memoryBytes != nil }

    func check() throws(JobError) {
        let times = [
            ("wallTime", wallTime, Self.minimumTime), ("cpuTime", cpuTime, Self.minimumTime),
            ("silence", silence, Self.minimumSilence), ("gracePeriod", gracePeriod, .zero),
        ]
        for (name, value, minimum) in times {
            if let value, value < minimum { throw .invalid("limits.\(name) is \(value); choose \(minimum) or more") }
        }
        if let memoryBytes, memoryBytes < Self.minimumMemoryBytes {
            throw .invalid("limits.memoryBytes is \(memoryBytes); choose \(Self.minimumMemoryBytes) or more")
        }
    }
}

/// A limit that an attempt of a job passed, and the value that it reached.
public enum PassedJobLimit: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The attempt took longer than ``JobLimits/wallTime``.
    case wallTime(reached: Duration, limit: Duration)
    /// The worker used more CPU time than ``JobLimits/cpuTime``.
    case cpuTime(reached: Duration, limit: Duration)
    /// The worker used more memory than ``JobLimits/memoryBytes``.
    case memory(reached: Int, limit: Int)
    /// The job reported no progress and printed nothing for longer than ``JobLimits/silence``.
    case silence(reached: Duration, limit: Duration)

    /// The name of the limit, such as "wall time".
    public var name: String {
        switch self {
        case .wallTime: "wall time"
        case .cpuTime: "CPU time"
        case .memory: "memory"
        case .silence: "silence"
        }
    }

    /// A predicate for a sentence about the job, such as "ran for 10.1 seconds, and its limit is 10.0 seconds".
    public var description: String {
        switch self {
        case .wallTime(let reached, let limit): "ran for \(reached.rounded), and its limit is \(limit)"
        case .cpuTime(let reached, let limit): "used \(reached.rounded) of CPU time, and its limit is \(limit)"
        case .memory(let reached, let limit): "had \(reached) bytes of memory, and its limit is \(limit) bytes"
        case .silence(let reached, let limit):
            "reported no progress for \(reached.rounded), and its limit is \(limit)"
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded down, for messages.
    fileprivate var rounded: Duration { .milliseconds(Int64(self / .milliseconds(1))) }
}
