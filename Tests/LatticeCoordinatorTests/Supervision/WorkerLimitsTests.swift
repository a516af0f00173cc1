import LatticeCore
import LatticeSession
import LatticeTransport
import Testing

@testable import LatticeCoordinator

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What decides about limits, without a process.
struct WorkerLimitsTests {
    private static let all = WorkerLimits(memoryBytes: 1 << 30, openFiles: 64, cpuTime: .seconds(60))

    @Test("at first nothing is limited, and nothing is asked of the system")
    func defaults() throws {
        let limits = WorkerLimits()
        #expect(limits == CoordinatorConfiguration().limits)
        #expect(limits.ofProcess == ProcessLimits())
        #expect(!limits.arePassed(byMemory: .max))
        try limits.check(isMemoryKnown: false, areKept: false)
    }

    @Test(
        "a limit of memory is passed by what is above it",
        arguments: [
            (Optional<Int>.none, Int.max, false), (1 << 20, 0, false), (1 << 20, 1 << 20, false),
            (1 << 20, (1 << 20) + 1, true), (1 << 30, .max, true), (.max, .max, false),
        ]
    )
    func memory(limit: Int?, bytes: Int, isPassed: Bool) {
        #expect(WorkerLimits(memoryBytes: limit).arePassed(byMemory: bytes) == isPassed)
    }

    @Test(
        "how a process ended, and what was limited, say what the end was",
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
            (.unknown, all, true, .limit("memory")),
            (.unknown, all, false, .disconnected),
        ]
    )
    func causes(end: ChildProcess.End, limits: WorkerLimits, hadTooMuchMemory: Bool, cause: Interruption.Cause) {
        #expect(limits.cause(of: end, hadTooMuchMemory: hadTooMuchMemory) == cause)
    }

    @Test("the system is asked for what it keeps itself, in its units")
    func ofProcess() {
        #expect(Self.all.ofProcess == ProcessLimits(openFiles: 64, cpuSeconds: 60))
        #expect(WorkerLimits(memoryBytes: 1 << 30).ofProcess == ProcessLimits())
    }

    @Test(
        "limits that make no sense are refused in a sentence that says what to do",
        arguments: [
            (WorkerLimits(memoryBytes: -1), "limits.memoryBytes is -1; give it 1048576 or more, or leave it out"),
            (
                WorkerLimits(memoryBytes: 1_048_575),
                "limits.memoryBytes is 1048575; give it 1048576 or more, or leave it out"
            ),
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
        #expect(throws: SettingsFault(message: sentence)) { try limits.check(isMemoryKnown: true, areKept: true) }
    }

    @Test("the least and the most that may be chosen are taken")
    func bounds() throws {
        let least = WorkerLimits(
            memoryBytes: WorkerLimits.leastMemoryBytes,
            openFiles: WorkerLimits.leastOpenFiles,
            cpuTime: .seconds(1)
        )
        try least.check(isMemoryKnown: true, areKept: true)
        let most = WorkerLimits(memoryBytes: .max, openFiles: .max, cpuTime: .seconds(366 * 24 * 3600))
        try most.check(isMemoryKnown: true, areKept: true)
    }

    @Test(
        "what cannot be kept here is refused",
        arguments: [
            (
                WorkerLimits(memoryBytes: 1 << 30),
                "limits.memoryBytes cannot be kept, as the system does not tell how much memory a process has; leave it out"
            ),
            (
                WorkerLimits(openFiles: 64),
                "limits.openFiles cannot be kept, as the system does not let one process limit another; leave it out"
            ),
            (
                WorkerLimits(cpuTime: .seconds(60)),
                "limits.cpuTime cannot be kept, as the system does not let one process limit another; leave it out"
            ),
        ]
    )
    func notKept(limits: WorkerLimits, sentence: String) throws {
        #expect(throws: SettingsFault(message: sentence)) { try limits.check(isMemoryKnown: false, areKept: false) }
        try limits.check(isMemoryKnown: true, areKept: true)
    }
}
