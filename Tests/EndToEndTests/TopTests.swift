import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// `latticectl top` and the completions.
@MainActor @Suite(.timeLimit(.minutes(10))) struct TopTests {
    private func with(
        _ body: @MainActor (Coordinator, String, ViewModel<UnrulyFeature>) async throws -> Void
    ) async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                try await body(coordinator, path, try await coordinator.viewModel(UnrulyFeature.self))
            }
        }
    }

    @Test("One page shows the worker, and without a terminal there is no other")
    func once() async throws {
        try await with { _, path, viewModel in
            let process = try servingProcess(viewModel)
            let arguments = ["top", "--socket", path, "--timeout", "30"]
            let page = try await Programs.run(
                Programs.path("latticectl"),
                arguments + ["--once", "--interval", "0.1"],
                takesErrors: true
            )
            #expect(page.status == 0)
            let lines = page.output.split(separator: "\n")
            #expect(lines.contains { $0.contains(" WORKER ") && $0.contains("CPU%") })
            #expect(lines.contains { $0.contains("default  serving  \(process)") })
            #expect(!page.output.contains("\u{1b}"))
            let instances = try await Programs.run(
                Programs.path("latticectl"),
                arguments + ["--once", "--interval", "0.1", "--table", "instances"],
                takesErrors: true
            )
            #expect(instances.output.contains("EVENTS/S"))
            let live = try await Programs.run(Programs.path("latticectl"), arguments, takesErrors: true)
            #expect(live.status == 64)
        }
    }

    /// Runs `latticectl` on a terminal of its own. It waits for texts on the screen, sends keys or a signal, and prints
    /// whether the terminal is as before.
    private static let script = """
        import os, pty, select, signal, sys, termios, time
        held, go = os.pipe()
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm"
            os.read(held, 1)
            os.execv(sys.argv[1], sys.argv[1:sys.argv.index("--steps")])
        before = termios.tcgetattr(terminal)
        os.write(go, b"1")
        screen = b""
        def read():
            global screen
            if not select.select([terminal], [], [], 0.1)[0]: return True
            try: found = os.read(terminal, 65536)
            except OSError: return False
            screen += found
            return bool(found)
        for step in sys.argv[sys.argv.index("--steps") + 1:]:
            kind, what = step[0], step[1:]
            if kind == "=":
                while what.encode() not in screen:
                    if not read(): sys.exit("ended before " + what + ": " + repr(screen[-2000:]))
                screen = b""
            elif kind == ">": os.write(terminal, what.encode())
            elif kind == "~": assert os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1])
            else: os.kill(process, int(what))
        after = None
        while read(): after = termios.tcgetattr(terminal)
        try: after = termios.tcgetattr(terminal)
        except termios.error: pass
        status = os.waitpid(process, 0)[1]
        print(status, before[:4] == after[:4] if after else "no terminal", b"\\x1b[?1049l" in screen)
        """

    nonisolated static let ends: [(name: String, steps: [String], status: Int)] = [
        ("q", ["=default", ">?", "=Press a key", ">x", "=[1 workers]", ">q"], 0),
        ("q in the details", ["=default", ">\r", "=incarnation", ">j", "=lines", ">q"], 0),
        ("Control-C", ["=default", ">\u{3}"], 0),
        ("SIGTERM", ["=default", "!15"], 15), ("SIGHUP", ["=default", "!1"], 1),
        ("SIGTSTP", ["=default", "!20", "=\u{1b}[?1049l", "~", "!18", "=default", ">q"], 0),
    ]

    @Test("The terminal is restored at every end", arguments: ends)
    func restores(name: String, steps: [String], status: Int) async throws {
        try await with { _, path, _ in
            let top = [Programs.path("latticectl"), "top", "--socket", path, "--timeout", "30"]
            let arguments = ["python3", "-c", Self.script] + top
            let run = try await Programs.run("/usr/bin/env", arguments + ["--steps"] + steps, takesErrors: true)
            #expect(run.output == "\(status) True True\n", "\(name)")
        }
    }

    @Test("A worker is restarted from the screen, after a question")
    func restarts() async throws {
        try await with { _, path, viewModel in
            let process = try servingProcess(viewModel)
            let top = [Programs.path("latticectl"), "top", "--socket", path, "--timeout", "30"]
            let arguments = ["python3", "-c", Self.script] + top
            let steps = ["=default", ">R", "=Restart the worker default?", ">y", "=has ended", ">q"]
            let run = try await Programs.run("/usr/bin/env", arguments + ["--steps"] + steps, takesErrors: true)
            #expect(run.output == "0 True True\n")
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            #expect(try servingProcess(viewModel) != process)
        }
    }

    @Test(
        "The completions name the commands, and the shells that are installed read them",
        arguments: ["bash", "zsh", "fish"]
    )
    func completions(shell: String) async throws {
        let run = try await Programs.run("latticectl", "--generate-completion-script", shell)
        #expect(run.status == 0)
        for command in ["top", "restart", "quarantine", "watch"] { #expect(run.output.contains(command)) }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(shell)" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return }
        try await withSocketPath { file in
            try run.output.write(toFile: file, atomically: true, encoding: .utf8)
            let read = try await Programs.run(path, ["-n", file], takesErrors: true)
            #expect(read.status == 0 && read.output.isEmpty)
            try FileManager.default.removeItem(atPath: file)
        }
    }
}
