import LatticeCore
import LatticeProcess
import LatticeSession
import Testing

@testable import LatticeCoordinator

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests the decisions about limits without a process.
struct WorkerLimitsTests {
    private static let all = WorkerLimits(memoryBytes: 1 << 30, openFiles: 64, cpuTime: .seconds(60))

    @Test("By default only turns have a limit, and the system enforces none")
    func defaults() throws {
        let limits = WorkerLimits()
        #expect(limits == CoordinatorConfiguration().limits)
        #expect(limits.ofProcess == ProcessLimits())
        #expect(!limits.arePassed(byMemory: .max))
        #expect(limits.turnTimeout == .seconds(10))
        try check(limits, isKept: false)
    }

    /// - Parameter isKept: Whether the system keeps whatever there is.
    private func check(_ limits: WorkerLimits, isKept: Bool) throws {
        try limits.check(isMemoryKnown: isKept, areKept: isKept, isTotalKept: isKept, areTasksKept: isKept)
    }

    @Test(
        "A memory limit is exceeded only above its value",
        arguments: [
            (Optional<Int>.none, Int.max, false), (1 << 20, 0, false), (1 << 20, 1 << 20, false),
            (1 << 20, (1 << 20) + 1, true), (1 << 30, .max, true), (.max, .max, false),
        ]
    )
    func memory(limit: Int?, bytes: Int, isPassed: Bool) {
        #expect(WorkerLimits(memoryBytes: limit).arePassed(byMemory: bytes) == isPassed)
    }

    private static func turn(_ seconds: Double) -> TurnRecord.Turn { .init(.effect, elapsed: .seconds(seconds)) }

    /// The limit of a turn, the silence and the idle time of a worker in seconds, its turn, the age of its crash, and
    /// whether its supervisor should have ended it. Heartbeats have 10 seconds, and crash reports 30.
    static let silences: [(Double?, Double, Double, TurnRecord.Turn?, Double?, Bool)] = [
        (60, 1, 1, nil, nil, false), (60, 11, 11, nil, nil, false), (60, 16, 16, nil, nil, true),
        // It handles one event after another.
        (60, 100, 1, nil, nil, false), (60, 100, 1, turn(1), nil, false),
        // A long turn.
        (60, 59, 59, turn(59), nil, false), (60, 61, 61, turn(61), nil, false), (60, 66, 66, turn(66), nil, true),
        (2, 7.5, 7.5, turn(7.5), nil, false), (2, 16, 16, turn(16), nil, true),
        (nil, 14, 14, turn(14), nil, false), (nil, 16, 16, turn(16), nil, true),
        // A crash report.
        (60, 29, 29, nil, 29, false), (60, 34, 34, turn(34), 34, false), (60, 36, 36, turn(36), 36, true),
    ]

    @Test("A worker is overdue after every limit that its supervisor applies", arguments: silences)
    func overdue(
        limit: Double?,
        silence: Double,
        idle: Double,
        turn: TurnRecord.Turn?,
        crash: Double?,
        isOverdue: Bool
    ) {
        var configuration = CoordinatorConfiguration()
        configuration.heartbeatTimeout = .seconds(10)
        configuration.backtraceTimeout = .seconds(30)
        configuration.limits.turnTimeout = limit.map { .seconds($0) }
        let crash = crash.map { TurnRecord.Crash(signal: SIGSEGV, elapsed: .seconds($0)) }
        let found = configuration.isOverdue(silence: .seconds(silence), idle: .seconds(idle), in: turn, crash)
        #expect(found == isOverdue)
    }

    @Test(
        "The exit status and the limits determine the cause of an end",
        arguments: [
            (ChildProcess.End.signaled(SIGKILL), all, true, Interruption.Cause.limit("memory")),
            (.signaled(SIGKILL), all, false, .signal(SIGKILL)),
            (.signaled(SIGXCPU), all, false, .limit("CPU time")),
            (.signaled(SIGXCPU), WorkerLimits(memoryBytes: 1 << 30), false, .signal(SIGXCPU)),
            // It ended by itself, before the signal came.
            (.signaled(SIGXCPU), all, true, .limit("CPU time")),
            (.signaled(SIGSEGV), all, true, .signal(SIGSEGV)),
            (.exited(0), all, true, .exit(code: 0)),
            (.exited(3), WorkerLimits(), false, .exit(code: 3)),
            (.unknown(.taken), all, true, .limit("memory")),
            (.unknown(.taken), all, false, .statusLost("\(ChildProcess.StatusLoss.taken)")),
            (.unknown(.ignored), all, false, .statusLost("\(ChildProcess.StatusLoss.ignored)")),
        ]
    )
    func causes(end: ChildProcess.End, limits: WorkerLimits, hadTooMuchMemory: Bool, cause: Interruption.Cause) {
        #expect(limits.cause(of: end, after: .zero, hadTooMuchMemory: hadTooMuchMemory) == cause)
    }

    @Test(
        "A worker that ends itself for an effect has a cause of its own, and other ends keep theirs",
        arguments: [
            (ChildProcess.End.signaled(SIGKILL), Interruption.Cause.limit("effect timeout")),
            (.signaled(SIGSEGV), .signal(SIGSEGV)), (.exited(3), .exit(code: 3)),
        ]
    )
    func overdueEffect(end: ChildProcess.End, cause: Interruption.Cause) {
        let found = WorkerLimits()
            .cause(of: end, after: .zero, hadTooMuchMemory: false, wasOverdue: true)
        #expect(found == cause)
        #expect(Blame(.limit("effect timeout"), in: TurnRecord.Turn(.event(1, channel: 1), elapsed: .zero)) == .effects)
    }

    @Test(
        "A kill means the CPU limit if its time was used, because SIGXCPU may have been handled",
        arguments: [
            (Optional.some(2), SIGKILL, 2, Interruption.Cause.limit("CPU time")), (2, SIGKILL, 3, .limit("CPU time")),
            (2, SIGKILL, 1, .signal(SIGKILL)), (nil, SIGKILL, 3, .signal(SIGKILL)), (2, SIGSEGV, 3, .signal(SIGSEGV)),
        ]
    )
    func kills(limit: Int?, signal: Int32, computed: Int, cause: Interruption.Cause) {
        let limits = WorkerLimits(cpuTime: limit.map { .seconds($0) })
        #expect(limits.cause(of: .signaled(signal), after: .seconds(computed), hadTooMuchMemory: false) == cause)
        let memory = limits.cause(of: .signaled(SIGKILL), after: .seconds(computed), hadTooMuchMemory: true)
        #expect(memory == .limit("memory"))
    }

    /// All times are in milliseconds.
    @Test(
        "The heartbeat is short enough for the turn limit, and an answer is late before it is missed",
        arguments: [
            (1_000, 10_000, 10_000, interval: 1_000, patience: 1_000),
            (1_000, 1_000, nil, interval: 1_000, patience: 500),
            (1_000, 10_000, 300, interval: 75, patience: 75),
            (50, 10_000, 400, interval: 50, patience: 50),
        ] as [(Int, Int, Int?, interval: Int, patience: Int)]
    )
    func liveness(asked: Int, limit: Int, turn: Int?, interval: Int, patience: Int) {
        let limits = WorkerLimits(turnTimeout: turn.map { .milliseconds($0) })
        let times = limits.liveness(Liveness(interval: .milliseconds(asked), timeout: .milliseconds(limit)))
        #expect(times.interval == .milliseconds(interval))
        #expect(times.patience == .milliseconds(patience))
        #expect(times.timeout == .milliseconds(limit))
    }

    @Test("A turn is checked when its time is over, and again until it is over")
    func looks() {
        let limits = WorkerLimits(turnTimeout: .seconds(2))
        func turn(_ elapsed: Duration) -> TurnRecord.Turn { TurnRecord.Turn(.effect, elapsed: elapsed) }
        #expect(limits.nextCheck(in: nil) == .seconds(2))
        #expect(limits.nextCheck(in: turn(.zero)) == .seconds(2))
        #expect(limits.nextCheck(in: turn(.milliseconds(1_500))) == .milliseconds(500))
        #expect(limits.nextCheck(in: turn(.microseconds(1_999_999))) == .milliseconds(1))
        #expect(limits.nextCheck(in: turn(.seconds(2))) == nil)
        #expect(WorkerLimits(turnTimeout: nil).nextCheck(in: turn(.seconds(3_600))) == .seconds(1))
    }

    @Test(
        "The turn at the end of a worker determines the blame, unless the cause says nothing about the turn",
        arguments: [
            (.signal(SIGILL), .event(7, channel: 3), .event(7, channel: 3)),
            (.exit(code: 1), .event(7, channel: 3), .event(7, channel: 3)),
            (.hang, .event(7, channel: 3), .event(7, channel: 3)),
            (.turn, .event(7, channel: 3), .event(7, channel: 3)),
            (.statusLost("taken"), .event(7, channel: 3), .event(7, channel: 3)),
            (.statusLost("taken"), nil, .anything),
            (.turn, .effect, .effects), (.signal(SIGSEGV), .effect, .effects), (.signal(SIGSEGV), nil, .anything),
            (.limit("memory"), .event(7, channel: 3), .anything), (.limit("CPU time"), .effect, .anything),
        ] as [(Interruption.Cause, TurnRecord.Turn.Subject?, Blame)]
    )
    func blame(cause: Interruption.Cause, subject: TurnRecord.Turn.Subject?, blame: Blame) {
        #expect(Blame(cause, in: subject.map { TurnRecord.Turn($0, elapsed: .seconds(1)) }) == blame)
    }

    @Test("The system gets the limits that it enforces itself, in its own units")
    func ofProcess() {
        #expect(Self.all.ofProcess == ProcessLimits(openFiles: 64, cpuSeconds: 60))
        #expect(WorkerLimits(memoryBytes: 1 << 30).ofProcess == ProcessLimits())
        let together = WorkerLimits(totalMemoryBytes: 1 << 30, tasks: 64)
        #expect(together.ofProcess == ProcessLimits(memoryBytes: 1 << 30, tasks: 64))
    }

    @Test(
        "Limits that make no sense are refused, and the error says what to do",
        arguments: [
            (WorkerLimits(memoryBytes: -1), "limits.memoryBytes is -1; give it 1048576 or more, or leave it out"),
            (
                WorkerLimits(memoryBytes: 1_048_575),
                "limits.memoryBytes is 1048575; give it 1048576 or more, or leave it out"
            ),
            (
                WorkerLimits(turnTimeout: .milliseconds(99)),
                "limits.turnTimeout is 0.099 seconds; give it a time from 0.1 seconds to 31622400.0 seconds"
            ),
            (
                WorkerLimits(totalMemoryBytes: 1_048_575),
                "limits.totalMemoryBytes is 1048575; give it 1048576 or more, or leave it out"
            ),
            (WorkerLimits(tasks: 15), "limits.tasks is 15; give it 16 or more, or leave it out"),
            (WorkerLimits(openFiles: 15), "limits.openFiles is 15; give it 16 or more, or leave it out"),
            (
                WorkerLimits(cpuTime: .zero),
                "limits.cpuTime is 0.0 seconds; give it a time from 1.0 seconds to 31622400.0 seconds"
            ),
            (
                WorkerLimits(cpuTime: .seconds(Int64.max)),
                "limits.cpuTime is 9.223372036854776e+18 seconds; give it a time from 1.0 seconds to 31622400.0 seconds"
            ),
            (WorkerLimits(cpuTime: .milliseconds(1500)), "limits.cpuTime is 1.5 seconds; give it whole seconds"),
        ]
    )
    func refused(limits: WorkerLimits, sentence: String) {
        #expect(throws: ConfigurationError(message: sentence)) { try check(limits, isKept: true) }
    }

    @Test("The minimum and the maximum of each limit are accepted")
    func bounds() throws {
        let least = WorkerLimits(
            memoryBytes: WorkerLimits.minimumMemoryBytes,
            openFiles: WorkerLimits.minimumOpenFiles,
            cpuTime: .seconds(1),
            totalMemoryBytes: WorkerLimits.minimumMemoryBytes,
            tasks: WorkerLimits.minimumTasks
        )
        try check(least, isKept: true)
        let most = WorkerLimits(
            memoryBytes: .max,
            openFiles: .max,
            cpuTime: .seconds(366 * 24 * 3600),
            totalMemoryBytes: .max,
            tasks: .max
        )
        try check(most, isKept: true)
    }

    @Test(
        "Limits that this system cannot enforce are refused",
        arguments: [
            (
                WorkerLimits(memoryBytes: 1 << 30),
                "limits.memoryBytes cannot be enforced, because the system does not report how much memory a process"
                    + " has; leave it out"
            ),
            (
                WorkerLimits(openFiles: 64),
                "limits.openFiles cannot be enforced, because the system does not let one process limit another; leave"
                    + " it out"
            ),
            (
                WorkerLimits(cpuTime: .seconds(60)),
                "limits.cpuTime cannot be enforced, because the system does not let one process limit another; leave"
                    + " it out"
            ),
            (
                WorkerLimits(totalMemoryBytes: 1 << 30),
                "limits.totalMemoryBytes cannot be enforced, because this process cannot create a cgroup with the"
                    + " controller memory; run it where it can, such as in a systemd service with Delegate=memory and"
                    + " DelegateSubgroup=coordinator, or leave it out"
            ),
            (
                WorkerLimits(tasks: 64),
                "limits.tasks cannot be enforced, because this process cannot create a cgroup with the"
                    + " controller pids; run it where it can, such as in a systemd service with Delegate=pids and"
                    + " DelegateSubgroup=coordinator, or leave it out"
            ),
        ]
    )
    func notKept(limits: WorkerLimits, sentence: String) throws {
        #expect(throws: ConfigurationError(message: sentence)) { try check(limits, isKept: false) }
        try check(limits, isKept: true)
    }
}
