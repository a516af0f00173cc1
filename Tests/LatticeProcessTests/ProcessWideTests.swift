// Tests of process-wide resources (descriptors) run in separate processes. Linux lists processes in /proc.
#if os(Linux)

import CLatticeSystem
import Glibc
import LatticeProcess
import LatticeTestSupport
import LatticeTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProcessWideTests {
    @Test(
        "Processes that a program leaves are ended, also if no file can be opened to look for them (F22)",
        .enabled(if: lattice_can_leave_descriptors() == 1, "Linux 5.9, without the thread sanitizer.")
    )
    func endingWithoutDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                let nothing = { OwnedDescriptor(open("/dev/null", O_RDWR | O_CLOEXEC)) }
                // The process has its own session and no living parent.
                let away = "setsid sleep 1000 >/dev/null 2>&1 & echo $! >left"
                let script = "cd \(directory); sh -c '\(away)'; mv left there; exec sleep 1000"
                var program = Program(path: "/bin/sh", arguments: ["sh", "-c", script], environment: [:])
                program.lineage = "LATTICE_TEST_LINEAGE=\(directory)"
                let (child, hasEnded) = (ChildProcess(), Watched(false))
                child.start(program, ChildProcess.Streams(input: nothing(), output: nothing(), error: nothing())) { _ in
                } onEnd: { _ in
                    hasEnded.change { $0 = true }
                }
                while access(directory + "/there", F_OK) != 0 { await Task.yield() }
                let left = try #require(SmallFile.read(directory + "/there").flatMap { Int32($0.dropLast()) })
                // A session of its own by now: else it would end with the group of the program.
                while getsid(left) != left { await Task.yield() }
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = 256
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var fillers: [Int32] = []
                func takeAll() {
                    while case let filler = dup(0), filler >= 0 { fillers.append(filler) }
                }
                takeAll()
                child.signal(SIGKILL)
                // Without suspending: the thread pool looks into /proc now and then while it has work, and ends the
                // process if it cannot. What others give back meanwhile is taken.
                while !hasEnded.value {
                    takeAll()
                    sched_yield()
                }
                for filler in fillers { close(filler) }
                // The new parent of the process may not have reaped it yet.
                let status = SmallFile.read("/proc/\(left)/stat")
                precondition(status?.contains(") Z ") ?? true, status ?? "")
            }
        }
    }
}

#endif
