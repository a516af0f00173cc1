import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

#if os(Linux)
/// Programs that are started where something is unusual: signals, the first process, the terminal, rights, files.
@MainActor @Suite(.timeLimit(.minutes(10))) struct SurroundingsTests {
    /// Whether this user may make namespaces.
    private nonisolated static let canUnshare = {
        let unshare = Process()
        unshare.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        unshare.arguments = ["--mount", "--pid", "--fork", "--mount-proc", "true"]
        unshare.standardError = FileHandle.nullDevice
        guard (try? unshare.run()) != nil else { return false }
        unshare.waitUntilExit()
        return unshare.terminationStatus == 0
    }()

    /// Returns a shell line that starts a program for which a folder is empty.
    private nonisolated static func without(_ folder: String) -> String {
        "export FAULTY_ARGUMENTS=\"$1\n$2\"; "
            + "exec unshare --mount sh -c 'mount -t tmpfs none \(folder) && exec \"$0\" \"$@\"' \"$0\" \"$@\""
    }

    // MARK: Signals

    @Test("An event that ends two workers is rejected although their exit statuses are lost (F88)")
    func poisonWithoutStatus() async throws {
        await #expect(processExitsWith: .success) {
            // As what a program links may do at any time.
            Thread.detachNewThread { while true { signal(SIGCHLD, SIG_IGN); sched_yield() } }
            try await SurroundingsTests.rejectPoison()
        }
    }

    private static func rejectPoison() async throws {
        try await withCoordinator(
            hosting: UnrulyFeature.self,
            configuration: EndToEndTests.configuration(workers: Programs.path("unruly"))
        ) { coordinator in
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            let behind = unruly.sendViewEvent(.add(1))
            guard case .rejected(let rejection) = await poison.finish() as EventOutcome else {
                preconditionFailure("\(String(describing: poison.outcome))")
            }
            precondition(rejection.code == .quarantined)
            // The worker has noted its crash itself.
            precondition(rejection.reason.contains("killed by signal"), rejection.reason)
            let outcome = await behind.finish() as EventOutcome
            precondition(outcome == .finished, "\(outcome)")
        }
    }

    // MARK: The first process

    @Test(
        "A signal ends a coordinator that is process 1, with the exit code that a shell would use (F89)",
        .enabled(if: canUnshare)
    )
    func firstProcess() async throws {
        try await withSocketPath { path in
            try await FaultyCoordinator.with(
                listeningAt: path,
                worker: Programs.path("counter"),
                after: "exec unshare --pid --fork --mount-proc \"$0\" \"$@\""
            ) { coordinator in
                try await coordinator.until("listening")
                let first = try #require(try children(of: coordinator.processID).first)
                kill(first, SIGTERM)
                #expect(try await end([first]))
                #expect(await coordinator.status() == 128 + SIGTERM)
            }
        }
    }

    // MARK: The terminal

    @Test(
        "A child of a worker that opens the terminal gets none, and does not stop other processes (F90)",
        .enabled(if: access("/usr/bin/script", X_OK) == 0)
    )
    func terminal() async throws {
        // In the worker's process group, which is in the background.
        let ask = "(stty -echo < /dev/tty; echo \"$?\" > \"$0.asked\") 2> /dev/null & "
        try await withWorkerScript(ask + "exec \"\(Programs.path("counter"))\"") { script in
            try await withSocketPath { path in
                try await FaultyCoordinator.with(
                    listeningAt: path,
                    worker: script,
                    after: "exec script -qec \"stty -echo -onlcr; exec '$0' '$1' '$2'\" /dev/null"
                ) { coordinator in
                    try await coordinator.until("listening")
                    try coordinator.say("add")
                    try await coordinator.until("finished sum 1")
                    while access(script + ".asked", F_OK) != 0 { await Task.yield() }
                }
            }
        }
    }

    // MARK: Rights

    @Test(
        "A coordinator whose umask takes its own rights leaves no file that the next one cannot open (F92)",
        arguments: ["0377", "0777"]
    )
    func mask(mask: String) async throws {
        // Root may open everything.
        let asUser =
            geteuid() == 0 ? "exec setpriv --bounding-set=-dac_override,-dac_read_search \"$0\" \"$@\"" : "true"
        func serve(_ path: String) async throws {
            try await FaultyCoordinator.with(
                listeningAt: path,
                worker: Programs.path("counter"),
                after: "umask \(mask); \(asUser)"
            ) { coordinator in
                try await coordinator.until("listening")
                coordinator.end(SIGKILL)
                #expect(try await end([coordinator.processID]))
            }
        }
        try await withSocketPath { path in
            let socket = path + ".run/s"
            try await serve(socket)
            for (file, rights) in [(socket, 0o600), (socket + ".lock", 0o600), (path + ".run", 0o700)]
                as [(String, mode_t)]
            {
                var found = stat()
                #expect(lstat(file, &found) == 0)
                #expect(found.st_mode & 0o777 == rights, "\(file)")
            }
            // As one leaves them that is killed before it has given itself the rights.
            for file in [socket, socket + ".lock"] { chmod(file, 0) }
            try await serve(socket)
        }
    }

    // MARK: Files of the system

    @Test(
        "A program without /proc cannot be its own worker, and says why (F93)",
        .enabled(if: canUnshare)
    )
    func withoutProc() async throws {
        try await withSocketPath { path in
            try await FaultyCoordinator.with(
                listeningAt: path,
                worker: "own",
                after: Self.without("/proc")
            ) { coordinator in
                try coordinator.say("go on")
                try await coordinator.until(
                    "The coordinator cannot start workers from this program, because /proc/self/exe does not say which"
                        + " file that is: No such file or directory. Mount /proc, or set workerExecutable."
                )
            }
        }
    }

    @Test("Workers need no devices (F93)", .enabled(if: canUnshare))
    func withoutDevices() async throws {
        try await withSocketPath { path in try await add(to: path, after: Self.without("/dev")) }
    }

    private func add(to path: String, after shell: String) async throws {
        try await FaultyCoordinator.with(
            listeningAt: path,
            worker: Programs.path("counter"),
            after: shell
        ) { coordinator in
            try await coordinator.until("listening")
            try coordinator.say("add")
            try await coordinator.until("finished sum 1")
        }
    }

    @Test(
        "With the /proc of another PID namespace, a coordinator says what it will not find, and replaces workers (F93)",
        .enabled(if: canUnshare)
    )
    func otherProc() async throws {
        try await withWorkerScript("setsid sleep 1000 & exec \"\(Programs.path("counter"))\"") { script in
            try await withSocketPath { path in
                let log = path + ".log"
                let hidden = "mount -t tmpfs none /sys/fs/cgroup && exec \"$0\" \"$@\" 2>\(log)"
                try await FaultyCoordinator.with(
                    listeningAt: path,
                    worker: script,
                    after: "exec unshare --mount --pid --fork --kill-child sh -c '\(hidden)' \"$0\" \"$@\""
                ) { coordinator in
                    _ = try await coordinator.worker()
                    func logged(_ part: String) -> Bool {
                        (try? String(contentsOfFile: log, encoding: .utf8))?.contains(part) == true
                    }
                    // Otherwise it would kill processes by numbers that mean others here.
                    try await poll { logged("/proc belongs to another PID namespace, and this process can make no") }
                    #expect(logged("/proc belongs to another PID namespace, where Dispatch looks for its threads"))
                    let first = try #require(try children(of: coordinator.processID).first)
                    for number in 1...3 {
                        // The list of children may lack one while another child ends (proc(5)).
                        var found: Int32?
                        try await poll {
                            found = try children(of: first).first { name(of: $0) == "counter" }
                            return found != nil || coordinator.hasEnded
                        }
                        guard let found, !coordinator.hasEnded else { break }
                        kill(found, SIGKILL)
                        try coordinator.say("add")
                        try await poll {
                            coordinator.hasSaid("finished sum \(number)") || coordinator.hasEnded || logged("(SIGILL)")
                        }
                        // Dispatch has ended a worker or the coordinator, of which the log warns. It does so again and
                        // again on a machine on which they take long to start.
                        if coordinator.hasEnded || logged("(SIGILL)") { break }
                    }
                    if coordinator.hasEnded {
                        let status = await coordinator.status()
                        #expect([SIGILL, 128 + SIGILL].contains(status))
                    }
                }
            }
        }
    }

    private func name(of process: Int32) -> String {
        let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines) ?? ""
    }

    // MARK: Threads

    @Test(
        "A worker that gets too few threads is retried without counting as a failed start, until it serves (F94)",
        .enabled(if: geteuid() == 0, "Tasks of root are not limited."),
        arguments: [1, 2, 4, 6]
    )
    func fewThreads(tasks: Int) async throws {
        let log = BlockableLog()
        // A user of its own, as its tasks are counted together.
        let limits = "setpriv --reuid \(54_320 + tasks) --clear-groups prlimit --nproc=$(cat \"$0.tasks\")"
        try await withWorkerScript("exec \(limits) \"$0.program\"") { script in
            let folder = URL(fileURLWithPath: script).deletingLastPathComponent().path
            try await run("chmod 755 \"$0\" && cp \"$1\" \"$2\"", folder, Programs.path("counter"), script + ".program")
            // The file is replaced, because a worker may start and read it at any moment.
            func allow(_ tasks: Int) async throws {
                try await run("echo \(tasks) > \"$0.new\" && mv \"$0.new\" \"$0\"", script + ".tasks")
            }
            try await allow(tasks)
            var configuration = configuration(workers: script)
            configuration.restart.maximumFailedStarts = 0
            configuration.logger = Logger(label: "test") { _ in log.handler }
            try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
                async let viewModel = coordinator.viewModel(Counter.self)
                let lines = try await log.lines.until {
                    $0.contains { $0.hasPrefix("No resources for a worker (attempt 3)") }
                }
                #expect(lines.contains { $0.contains(" the threads ") }, "\(lines)")
                try await allow(100)
                let counter = try await viewModel
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
            }
        }
    }
}
#endif
