import Glibc
import LatticeConcurrency
import LatticeJobs

/// A job of a round, which does what the plan says. Its output is computed from its identity.
struct ChaosJob: Job, Equatable {
    /// The identity of a job in every process.
    struct Identifier: Hashable, Codable, Sendable {
        let caller: Int
        let number: Int
    }

    /// An attempt of a job, as its worker logs it.
    struct Attempt: Hashable, Sendable {
        let job: Identifier
        let attempt: Int
    }

    static let name = "chaos"
    /// The log of this process, if it is a worker of a round of jobs.
    static let log = Locked<BeginLog<Attempt>?>(nil)

    let identifier: Identifier
    let deed: ChaosDeed

    /// The number of reports and lines of a job that makes many.
    private static let reports = 500
    /// The bytes that a job prints to the standard output of its worker.
    private static let printedBytes = 2 << 20
    /// The bytes that a job that leaks allocates in a millisecond.
    static let leakedBytes = 1 << 20

    /// The output of the job if it succeeds.
    var output: UInt64 { UInt64(identifier.caller) &* 1_000_003 &+ UInt64(identifier.number) &* 31 &+ 7 }

    func run(in context: JobContext) async throws -> UInt64 {
        Self.log.withLock(\.self)?.note(Attempt(job: identifier, attempt: context.attempt))
        switch deed {
        case .compute: Self.compute(for: .milliseconds(5))
        case .report:
            for number in 1...Self.reports {
                context.report(completedUnits: Int64(number), totalUnits: Int64(Self.reports), line: "unit \(number)")
                context.print("line \(number)")
            }
        case .printMegabytes: Self.printMegabytes()
        case .leaveProgram: Self.start(["setsid", "sleep", "86400"])
        case .crashOnce: if context.attempt == 1 { abort() }
        case .refuse: throw ChaosRefusal()
        case .crash, .crashAlways: abort()
        case .fault: Self.fault()
        case .exit: exit(0)
        case .exitWithCode: exit(3)
        case .hang, .silence: try await Self.hang()
        case .fork:
            Self.start(["sleep", "86400"])
            Self.start(["setsid", "sleep", "86400"])
            try await Self.hang()
        case .spin, .spinDeaf, .cancelled: Self.spin()
        case .leak: Self.leak()
        case .answer, .command, .failCommand, .deafCommand, .endlessCommand: break
        }
        return output
    }

    /// Computes for a short time, even if the job is cancelled.
    private static func compute(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }

    /// Computes without end, with all signals blocked that can be blocked, as C code may do.
    private static func spin() -> Never {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        while true { sched_yield() }
    }

    /// Ends the process as an invalid access to memory does.
    private static func fault() -> Never {
        kill(getpid(), SIGSEGV)
        while true { pause() }
    }

    private static func hang() async throws { try await Task.sleep(for: .seconds(86_400)) }

    /// Allocates memory without end. The allocator's function is not used, because the optimiser may leave it out.
    private static func leak() -> Never {
        while true {
            let place = mmap(nil, leakedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            if let place, place != MAP_FAILED { memset(place, 1, leakedBytes) }
            usleep(1000)
        }
    }

    private static func printMegabytes() {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1023) + [UInt8(ascii: "\n")]
        for _ in 0..<printedBytes / line.count {
            guard write(STDOUT_FILENO, line, line.count) >= 0 else { return }
        }
    }

    /// Starts a program that no code waits for.
    private static func start(_ words: [String]) {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        // If the program is not started, there is nothing that could be left.
        _ = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
    }
}

/// The error of jobs that throw one.
struct ChaosRefusal: Error, CustomStringConvertible {
    var description: String { "this job refuses to work" }
}

extension ChaosJob.Identifier: CustomStringConvertible {
    var description: String { "\(caller).\(number)" }
}

extension ChaosJob.Attempt: CustomStringConvertible, LosslessStringConvertible {
    init?(_ description: String) {
        let numbers = description.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let caller = numbers[0], let number = numbers[1], let attempt = numbers[2] else {
            return nil
        }
        self.init(job: .init(caller: caller, number: number), attempt: attempt)
    }

    var description: String { "\(job).\(attempt)" }
}
