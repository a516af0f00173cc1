// Only Linux starts programs in cgroups.
#if os(Linux)

import CLatticeSystem
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct StartTests {
    private struct Started {
        var error: Int32
        var step: Int32
        var process: pid_t
        /// The exit code, if the program was started.
        var code: Int32?
    }

    /// Starts a program with nothing but its name, and waits for its end.
    private func start(_ path: String, groups: [Int32] = [], needsGroups: Bool = false) -> Started {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let name = strdup(path)
        defer {
            free(name)
            close(nothing)
        }
        var started = Started(error: 0, step: -1, process: -1)
        [name, nil].withUnsafeBufferPointer { arguments in
            groups.withUnsafeBufferPointer { groups in
                var program = lattice_program()
                (program.path, program.arguments) = (UnsafePointer(name), arguments.baseAddress)
                program.environment = arguments.baseAddress?.advanced(by: 1)
                (program.input, program.output, program.error, program.record) = (nothing, nothing, nothing, -1)
                (program.groups, program.group_count) = (groups.baseAddress, Int32(groups.count))
                program.needs_groups = needsGroups ? 1 : 0
                started.error = lattice_spawn(&program, &started.process, &started.step)
            }
        }
        var status: Int32 = 0
        if started.process > 0, waitpid(started.process, &status, 0) == started.process { started.code = status >> 8 }
        return started
    }

    /// Calls `body` with a control group that accepts no process, because writes to its file fail.
    private func withFullGroup(_ body: (Int32) -> Void) {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        body(full)
        close(full)
    }

    @Test func aProgramRuns() {
        let started = start("/bin/false")
        #expect(started.error == 0 && started.step == LATTICE_START && started.code == 1)
    }

    @Test func aMissingProgramIsNotStarted() {
        let started = start("/nowhere/nothing")
        #expect(started.error == ENOENT && started.step == LATTICE_START && started.process == -1)
    }

    @Test func aGroupThatIsNeededAndRefusesKeepsItFromStarting() {
        withFullGroup { full in
            let started = start("/bin/true", groups: [full], needsGroups: true)
            #expect(started.error == ENOSPC && started.step == LATTICE_JOIN && started.process == -1)
        }
    }

    @Test func anOptionalGroupThatRefusesIsReported() {
        withFullGroup { full in
            let started = start("/bin/false", groups: [full])
            #expect(started.error == 0 && started.step == LATTICE_JOIN && started.code == 1)
            let missing = start("/nowhere/nothing", groups: [full])
            #expect(missing.error == ENOENT && missing.step == LATTICE_START && missing.process == -1)
        }
    }
}

#endif
