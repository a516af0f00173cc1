// Cgroups are Linux's.
#if os(Linux)

import CLatticeSystem
import Foundation
import LatticeTransport
import Testing

@testable import LatticeProcess

@Suite(.timeLimit(.minutes(10))) struct ControlGroupTests {
    private struct Ended: Sendable {
        let end: ChildProcess.End
        let output: String
        let wasOutOfMemory: Bool
    }

    /// Runs a script of the shell until it has ended, and says what it has written.
    private func run(_ script: String, _ limits: ProcessLimits = ProcessLimits()) async throws -> Ended {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString)").path
        defer { unlink(path) }
        let output = OwnedDescriptor(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600))
        let nothing = { OwnedDescriptor(open("/dev/null", O_RDWR | O_CLOEXEC)) }
        var program = Program(path: "/bin/sh", arguments: ["sh", "-c", script], environment: [:])
        program.limits = limits
        let child = ChildProcess()
        let streams = ChildProcess.Streams(input: nothing(), output: output, error: nothing())
        let end = await withCheckedContinuation { waiter in
            child.start(program, streams) { _ in
            } onEnd: {
                waiter.resume(returning: $0)
            }
        }
        return Ended(
            end: try end.get(),
            output: try String(contentsOfFile: path, encoding: .utf8),
            wasOutOfMemory: child.wasOutOfMemory
        )
    }

    /// The process has its own session and environment, no open files of the program, and no living parent.
    @Test(
        "All processes that a program has started end with it, however they detached (F22)",
        .enabled(if: ControlGroupPlaces.ending != nil),
        arguments: ["exit 3", "kill -KILL $$"]
    )
    func runaways(end: String) async throws {
        let runaway = "setsid env -i sleep 1000 </dev/null >/dev/null 2>&1 & echo $!"
        let ended = try await run("sh -c '\(runaway)'; grep -o 'lattice-.*' /proc/self/cgroup; \(end)")
        #expect(ended.end == (end == "exit 3" ? .exited(3) : .signaled(SIGKILL)))
        let lines = ended.output.split(separator: "\n")
        let process = try #require(lines.first.flatMap { Int32($0) })
        try await expectEnd(of: process)
        #expect(lines.count > 1)
    }

    @Test("No control group is left after a program has ended", .enabled(if: ControlGroupPlaces.ending != nil))
    func leftovers() async throws {
        let ended = try await run("cat /proc/self/cgroup")
        let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        let groups = ControlGroupMounts(mounts: mounts, groups: ended.output)
        let made = groups.placesForEnding.map(\.path).filter { $0.contains("lattice-") }
        #expect(!made.isEmpty)
        for path in made { #expect(access(path, F_OK) == -1, "\(path)") }
    }

    @Test("Processes and threads are limited together", .enabled(if: ProcessLimits.areTasksKept))
    func tasks() async throws {
        let started = try await run(
            "for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & echo $i; done 2>/dev/null; echo end",
            ProcessLimits(tasks: 5)
        )
        // The shell is one of the five, and gives up.
        #expect(started.output.split(separator: "\n").map(String.init) == ["1", "2", "3", "4"])
        #expect(started.end != .exited(0))
        #expect(!started.wasOutOfMemory)
    }

    @Test("Memory is limited for the whole group", .enabled(if: ProcessLimits.isMemoryKept))
    func memory() async throws {
        let limits = ProcessLimits(memoryBytes: 64 << 20)
        let within = try await run("head -c 16m /dev/zero | tail -c 16m | wc -c", limits)
        #expect(within.output == "16777216\n" && within.end == .exited(0) && !within.wasOutOfMemory)
        // Each of the two has less than both may have.
        let eater = "head -c 48m /dev/zero | tail -c 48m"
        let beyond = try await run("(\(eater) & \(eater)) | { sleep 2; wc -c; }", limits)
        #expect(beyond.wasOutOfMemory)
    }

    /// Waits until a process has ended. Its new parent may not have reaped it yet.
    private func expectEnd(of process: Int32) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        var status = SmallFile.read("/proc/\(process)/stat")
        while let text = status, !text.contains(") Z "), ContinuousClock.now < deadline {
            await Task.yield()
            status = SmallFile.read("/proc/\(process)/stat")
        }
        #expect(status?.contains(") Z ") ?? true, "\(status ?? "")")
    }

    @Test("Groups of ended processes are removed, and groups of living processes are not")
    func left() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let parts = ControlGroupName.next().text.split(separator: "-").map(String.init)
        let (namespace, token) = (parts[1], parts[3])
        let left = ["lattice-\(namespace)-\(Int32.max)-1-7", "lattice-\(namespace)-\(getpid())-x-1"]
        var kept = [
            "lattice-\(namespace)-\(getpid())-\(token)-0", "lattice-0-\(Int32.max)-1-7",
            "lattice-\(namespace)-\(Int32.max)-1", "lattice-\(Int32.max)", "other",
        ]
        // Process 1 always lives. In a new namespace it may be this process, whose other groups are removed.
        if getpid() != 1 { kept.append("lattice-\(namespace)-1-2-3") }
        for name in left + kept {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
        }
        let place = ControlGroupMounts.Place(version: .one, path: folder.path)
        #expect(!ControlGroupPlaces.isUsable(place))
        #expect(FileManager.default.createFile(atPath: folder.path + "/cgroup.procs", contents: nil))
        #expect(!ControlGroupPlaces.isUsable(place) { _ in false })
        #expect(ControlGroupPlaces.isUsable(place))
        let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(there) == Set(kept + ["cgroup.procs"]))
        #expect(!ControlGroupPlaces.isUsable(ControlGroupMounts.Place(version: .two, path: folder.path + "/none")))
    }

    @Test(
        "Processes in a group that was left behind have a second to end, and are then killed",
        .enabled(if: ControlGroupPlaces.ending != nil)
    )
    func leftProcesses() async throws {
        let place = try #require(ControlGroupPlaces.ending)
        let own = ControlGroupName.next().text.split(separator: "-")
        let group = "\(place.path)/lattice-\(own[1])-\(Int32.max)-1-\(own[4])"
        let sleeper = Process()
        sleeper.executableURL = URL(fileURLWithPath: "/bin/sleep")
        sleeper.arguments = ["1000"]
        try sleeper.run()
        defer { kill(sleeper.processIdentifier, SIGKILL) }
        var start = ContinuousClock.now
        // As long as it is empty, any other coordinator that begins takes it away.
        let isIn = (1...1000).contains { _ in
            start = .now
            try? FileManager.default.createDirectory(atPath: group + "/inner", withIntermediateDirectories: true)
            return SmallFile.write("\(sleeper.processIdentifier)", to: group + "/inner/cgroup.procs") == 0
        }
        try #require(isIn)
        #expect(ControlGroupPlaces.isUsable(place))
        sleeper.waitUntilExit()
        #expect(sleeper.terminationReason == .uncaughtSignal && sleeper.terminationStatus == SIGKILL)
        #expect(start.duration(to: .now) >= .seconds(1))
        let deadline = ContinuousClock.now + .seconds(20)
        while access(group, F_OK) == 0, ContinuousClock.now < deadline { await Task.yield() }
        #expect(access(group, F_OK) == -1)
    }
}

#endif
