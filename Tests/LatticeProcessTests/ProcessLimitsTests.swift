// The tests limit separate processes. Only Linux can limit a program before it runs.
#if os(Linux)

import CLatticeSystem
import Glibc
import Testing

@testable import LatticeProcess

@Suite(.timeLimit(.minutes(10))) struct ProcessLimitsTests {
    @Test("Limits are lowered permanently, and never raised")
    func lowered() async {
        await #expect(processExitsWith: .success) {
            func limit(_ resource: __rlimit_resource) -> [rlim_t] {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
                return [limit.rlim_cur, limit.rlim_max]
            }
            func limitThis(_ limits: ProcessLimits) -> Int32 {
                var limits = limits.ofProcess
                return lattice_limit(&limits)
            }
            let before = (files: limit(RLIMIT_NOFILE), time: limit(RLIMIT_CPU))
            precondition(limitThis(ProcessLimits()) == 0)
            precondition(limit(RLIMIT_NOFILE) == before.files && limit(RLIMIT_CPU) == before.time)
            precondition(limitThis(ProcessLimits(openFiles: 64)) == 0)
            precondition(limit(RLIMIT_NOFILE) == [64, 64] && limit(RLIMIT_CPU) == before.time)
            precondition(limitThis(ProcessLimits(openFiles: 65, cpuSeconds: 3600)) == 0)
            precondition(limit(RLIMIT_NOFILE) == [64, 64])
            // Between the two there is time for SIGXCPU.
            precondition(limit(RLIMIT_CPU) == [3600, min(3601, before.time[1])])
        }
    }
}

#endif
