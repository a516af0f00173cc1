import Glibc
import LatticeCore
import LatticeJobs

/// What a job of a round does, the options that it gets, and how it has to end.
enum ChaosDeed: String, Codable, CaseIterable, Sendable {
    // These succeed.
    case answer
    /// Computes for a short time.
    case compute
    /// Reports progress and prints lines, many of each.
    case report
    /// Prints megabytes to the standard output of its worker.
    case printMegabytes
    /// Leaves a program behind, which has left the worker's process group.
    case leaveProgram
    /// Crashes in its first attempt.
    case crashOnce
    /// A program that prints a line.
    case command

    // These fail.
    /// Throws an error.
    case refuse
    case crash
    /// Crashes in every attempt, until it is set aside.
    case crashAlways
    /// Ends its worker as an invalid access to memory does.
    case fault
    /// Exits with code 0 and without a result.
    case exit
    case exitWithCode
    /// Waits without end, within a limit of wall time.
    case hang
    /// Waits without end, within a limit of silence.
    case silence
    /// Starts programs, one of which leaves the process group, and waits without end.
    case fork
    /// Computes without end, within a limit of CPU time.
    case spin
    /// Computes without end, and is cancelled first when it passes its limit of wall time.
    case spinDeaf
    /// Allocates memory without end.
    case leak
    /// A program that exits with code 3.
    case failCommand
    /// A program that ignores SIGTERM, with a child that has left its process group.
    case deafCommand
    /// A program that prints without end.
    case endlessCommand
    /// Computes without end, and is cancelled by its caller.
    case cancelled

    /// The deeds of jobs that succeed.
    static let good = allCases.filter { $0.expectation == .output }
    /// The deeds of jobs that fail.
    static let bad = allCases.filter { $0.expectation != .output }

    /// The end that a job must have.
    enum Expectation: Equatable, Sendable {
        case output
        /// The job threw an error.
        case thrown
        /// The job ended its worker in this way.
        case workerEnded(Interruption.Cause)
        case setAside
        /// The job passed the limit with this name. The second value is the time after which its attempt ends on a
        /// machine that does everything at once, or nil if it depends on the speed of the machine.
        case limit(String, after: Duration?)
        /// The job was cancelled. The value is the time that it has to end.
        case cancelled(within: Duration)
    }

    private static let wallTime: Duration = .milliseconds(200)
    private static let gracePeriod: Duration = .milliseconds(200)
    /// The limit of CPU time.
    static let cpuTime: Duration = .milliseconds(100)
    /// The limit of memory, several times what a worker has.
    static let memoryBytes = 192 << 20

    var expectation: Expectation {
        switch self {
        case .answer, .compute, .report, .printMegabytes, .leaveProgram, .crashOnce, .command: .output
        case .refuse, .failCommand: .thrown
        case .crash: .workerEnded(.signal(SIGABRT))
        case .crashAlways: .setAside
        case .fault: .workerEnded(.signal(SIGSEGV))
        case .exit: .workerEnded(.exit(code: 0))
        case .exitWithCode: .workerEnded(.exit(code: 3))
        case .hang, .fork, .endlessCommand: .limit("wall time", after: Self.wallTime)
        case .spinDeaf, .deafCommand: .limit("wall time", after: Self.wallTime + Self.gracePeriod)
        case .silence: .limit("silence", after: JobLimits.minimumSilence)
        case .spin: .limit("CPU time", after: nil)
        case .leak: .limit("memory", after: nil)
        case .cancelled: .cancelled(within: Self.gracePeriod)
        }
    }

    private var limits: JobLimits {
        var limits = JobLimits(gracePeriod: Self.gracePeriod)
        switch self {
        case .hang, .fork, .endlessCommand: limits.wallTime = Self.wallTime
        case .spinDeaf, .deafCommand: (limits.wallTime, limits.action) = (Self.wallTime, .cancelFirst)
        case .silence: limits.silence = JobLimits.minimumSilence
        case .spin: limits.cpuTime = Self.cpuTime
        case .leak: limits.memoryBytes = Self.memoryBytes
        default: break
        }
        return limits
    }

    private var retries: JobRetries {
        // A fault of a worker costs each job an attempt, and no job its result.
        var causes: JobRetries.Causes = .workerLost
        if self == .crashOnce || self == .crashAlways { causes.insert(.workerEnded) }
        return JobRetries(
            attempts: JobRetries.maximumAttempts,
            initialDelay: .zero,
            maximumDelay: .milliseconds(10),
            after: causes
        )
    }

    /// The options of a job that does this.
    func options(priority: Int) -> JobOptions { JobOptions(priority: priority, limits: limits, retries: retries) }

    /// The program of the job, or nil if it runs in its worker.
    var program: ProgramJob? {
        switch self {
        case .command: .shell("echo $((6 * 7))")
        case .failCommand: .shell("echo no paper >&2; exit 3")
        case .deafCommand: .shell("trap '' TERM; setsid sleep 86400 & while :; do sleep 0.05; done")
        case .endlessCommand: ProgramJob("yes", "megabytes")
        default: nil
        }
    }
}
