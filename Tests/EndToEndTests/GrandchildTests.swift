import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

#if os(Linux)
/// Tests that processes which a worker started end with it, whichever process ends first.
@MainActor @Suite(.timeLimit(.minutes(10))) struct GrandchildTests {
    /// A shell that starts programs in several ways, writes their identifiers into a file beside itself and becomes a
    /// worker: in the worker's group, in a session of its own, one whose parent is gone besides, and one in a group of
    /// its own, without the worker's environment and its parent.
    private static func script(_ worker: String) -> String {
        """
        folder=$(dirname "$0")
        sleep 1000 & echo $! >> "$folder/processes"
        setsid sleep 1000 & echo $! >> "$folder/processes"
        (setsid sleep 1000 & echo $! >> "$folder/processes")
        bash -c 'set -m; env -i sleep 1000 & echo $! >> "$1/processes"' bash "$folder" 2> /dev/null
        exec "\(worker)"
        """
    }

    /// A shell line that starts a program without access to cgroups.
    private nonisolated static let withoutGroups =
        "exec unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec \"$0\" \"$@\"' \"$0\" \"$@\""

    /// Whether it may do that: it takes a privilege.
    private nonisolated static let canHideGroups = {
        let unshare = Process()
        unshare.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        unshare.arguments = ["-m", "true"]
        unshare.standardError = FileHandle.nullDevice
        guard (try? unshare.run()) != nil else { return false }
        unshare.waitUntilExit()
        return unshare.terminationStatus == 0
    }()

    private func processes(beside script: String) throws -> [Int32] {
        let folder = URL(fileURLWithPath: script).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("processes"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { Int32($0) }
    }

    @Test("Processes that a killed worker started are gone before the next worker starts (F22, F76)")
    func workerKilled() async throws {
        try await withWorkerScript(Self.script(Programs.path("counter"))) { path in
            try await withCoordinator(hosting: Counter.self, configuration: configuration(workers: path)) {
                let viewModel = try await $0.viewModel(Counter.self)
                let started = try processes(beside: path)
                #expect(started.count == 4)
                #expect(started.allSatisfy(isRunning))
                kill(try servingProcess(viewModel), SIGKILL)
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
                #expect(try await end(started))
                // Those of the present worker.
                #expect(try processes(beside: path).dropFirst(4).allSatisfy(isRunning))
            }
            let all = try processes(beside: path)
            #expect(try await end(all))
        }
    }

    @Test(
        "Processes that a killed worker started are gone before the next one starts, also without cgroups (F22, F76)",
        .enabled(if: canHideGroups)
    )
    func workerKilledWithoutGroups() async throws {
        try await withWorkerScript(Self.script(Programs.path("faulty"))) { script in
            try await withSocketPath { path in
                try await FaultyCoordinator.with(
                    listeningAt: path,
                    worker: script,
                    after: Self.withoutGroups
                ) { coordinator in
                    let worker = try await coordinator.worker()
                    let started = try processes(beside: script)
                    #expect(started.count == 4)
                    let groups = try String(contentsOfFile: "/proc/\(worker)/cgroup", encoding: .utf8)
                    #expect(!groups.contains("lattice-"))
                    kill(worker, SIGKILL)
                    try coordinator.say("add")
                    try await coordinator.until("finished sum 1")
                    #expect(started.allSatisfy { !isRunning($0) })
                }
            }
        }
    }

    @Test(
        "Processes that a worker started as another user are gone with it, also without cgroups (F91)",
        .enabled(if: canHideGroups && geteuid() == 0),
        arguments: [nil, SIGTERM, SIGKILL] as [Int32?]
    )
    func anotherUser(signal: Int32?) async throws {
        // By its variable, and by its output.
        let (user, note) = ("setpriv --reuid 65534 --clear-groups", "echo $! >> \"$(dirname \"$0\")/processes\"")
        let script = """
            setsid \(user) sleep 1000 > /dev/null 2>&1 & \(note)
            (setsid \(user) env -i sleep 1000 & \(note))
            exec "\(Programs.path("faulty"))"
            """
        try await withWorkerScript(script) { script in
            try await withSocketPath { path in
                try await FaultyCoordinator.with(
                    listeningAt: path,
                    worker: script,
                    after: Self.withoutGroups
                ) { coordinator in
                    let worker = try await coordinator.worker()
                    let started = try processes(beside: script)
                    #expect(started.count == 2)
                    #expect(started.allSatisfy(isRunning))
                    if let signal { coordinator.end(signal) } else { kill(worker, SIGKILL) }
                    #expect(try await end(started))
                }
            }
        }
    }

    @Test("A program that holds the worker's socket and output does not hide the worker's death (F21)")
    func heldSocket() async throws {
        // Outside the worker's group, with all that the worker has open.
        let script = "env -i /usr/bin/setsid sleep 5 <&0 & exec \"\(Programs.path("counter"))\""
        try await withWorkerScript(script) { path in
            try await withCoordinator(hosting: Counter.self, configuration: configuration(workers: path)) {
                let viewModel = try await $0.viewModel(Counter.self)
                kill(try servingProcess(viewModel), SIGKILL)
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            }
        }
    }

    @Test(
        "Processes that a worker started end with the coordinator, however it ends, with and without cgroups (F24, F76)",
        arguments: [nil, SIGTERM, SIGKILL] as [Int32?],
        canHideGroups ? ["true", withoutGroups] : ["true"]
    )
    func coordinatorEnds(signal: Int32?, after shell: String) async throws {
        // The worker runs until it notices the end, so its own children are found even without its environment and
        // session.
        let own = "env -i /usr/bin/setsid sleep 1000 & echo $! >> \"$(dirname \"$0\")/processes\"\n"
        try await withWorkerScript(own + Self.script(Programs.path("faulty"))) { script in
            try await withSocketPath { path in
                try await FaultyCoordinator.with(listeningAt: path, worker: script, after: shell) { coordinator in
                    let worker = try await coordinator.worker()
                    let started = try processes(beside: script) + [worker]
                    #expect(started.count == 6)
                    #expect(started.allSatisfy(isRunning))
                    if let signal { coordinator.end(signal) } else { try coordinator.say("stop") }
                    #expect(try await end(started))
                }
            }
        }
    }

    @Test("A worker that writes to a closed output ends in order, and so do the processes that it started (F24)")
    func writesAtTheEnd() async throws {
        // Only the worker knows that it started that.
        let own = "env -i /usr/bin/setsid sleep 1000 > /dev/null 2>&1 & echo $! >> \"$(dirname \"$0\")/processes\"\n"
        try await withWorkerScript(own + "exec \"\(Programs.path("faulty"))\" --talk") { script in
            try await withSocketPath { path in
                try await FaultyCoordinator.with(listeningAt: path, worker: script) { coordinator in
                    let worker = try await coordinator.worker()
                    let started = try processes(beside: script) + [worker]
                    #expect(started.count == 2)
                    coordinator.end(SIGKILL)
                    #expect(try await end(started))
                }
            }
        }
    }

    @Test("A worker ends with its coordinator although a copy of the coordinator holds the socket open (F24, F25)")
    func heldByACopy() async throws {
        try await withSocketPath { path in
            try await FaultyCoordinator.with(listeningAt: path, worker: Programs.path("faulty")) { coordinator in
                let worker = try await coordinator.worker()
                try coordinator.say("copy")
                let copy = try await coordinator.copy()
                defer { kill(copy, SIGKILL) }
                #expect([worker, copy].allSatisfy(isRunning))
                coordinator.end(SIGKILL)
                #expect(try await end([worker]))
                #expect(isRunning(copy))
            }
        }
    }

    @Test("A worker that never reaches its first line of code ends with its coordinator (F85)")
    func hangsBeforeItsFirstLine() async throws {
        let script =
            "echo $$ >> \"$(dirname \"$0\")/processes\"; exec \"\(Programs.path("faulty"))\" --hang \"$0.hangs\""
        try await withWorkerScript(script) { script in
            try #require(mkfifo(script + ".hangs", 0o600) == 0)
            try await withSocketPath { path in
                try await FaultyCoordinator.with(listeningAt: path, worker: script) { coordinator in
                    // Says so just before it hangs.
                    #expect(try await hears(from: script + ".hangs"))
                    let worker = try #require(try processes(beside: script).first)
                    coordinator.end(SIGKILL)
                    #expect(try await end([worker]))
                }
            }
        }
    }
}
#endif
