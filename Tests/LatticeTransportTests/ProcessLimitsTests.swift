// What is limited is a process of its own. Only Linux lets one process limit another.
#if os(Linux)

import CLatticeSystem
import Glibc
import Testing

@testable import LatticeTransport

@Suite(.timeLimit(.minutes(2))) struct ProcessLimitsTests {
    @Test("limits are lowered for good, and never raised")
    func lowered() async {
        await #expect(processExitsWith: .success) {
            func limit(_ resource: __rlimit_resource) -> [rlim_t] {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
                return [limit.rlim_cur, limit.rlim_max]
            }
            let before = (files: limit(RLIMIT_NOFILE), time: limit(RLIMIT_CPU))
            precondition(ProcessLimits().apply(to: getpid()) == nil)
            precondition(limit(RLIMIT_NOFILE) == before.files && limit(RLIMIT_CPU) == before.time)
            precondition(ProcessLimits(openFiles: 64).apply(to: getpid()) == nil)
            precondition(limit(RLIMIT_NOFILE) == [64, 64] && limit(RLIMIT_CPU) == before.time)
            precondition(ProcessLimits(openFiles: 65, cpuSeconds: 3600).apply(to: getpid()) == nil)
            precondition(limit(RLIMIT_NOFILE) == [64, 64])
            // Between the two there is time for SIGXCPU.
            precondition(limit(RLIMIT_CPU) == [3600, min(3601, before.time[1])])
        }
    }

    @Test("a process that cannot be limited is told of")
    func refused() {
        let error = ProcessLimits(openFiles: 64).apply(to: .max)
        #expect(error?.errno == ESRCH)
        #expect(error?.message == "Could not limit what process 2147483647 may use: No such process.")
    }
}

#endif
