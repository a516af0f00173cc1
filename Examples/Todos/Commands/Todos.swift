package import ArgumentParser
import Glibc
import LatticeWorker
import Logging

/// The program: a worker if a coordinator started it, else a terminal that shows the list.
package struct Todos: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "todos",
        abstract: "A todo list that several terminals share.",
        discussion: """
            The first one keeps the list, in a worker process; each further one shows the same list. \
            When the first one quits, the list is gone and the others quit too.

            Keys: \(Screen.help); arrows move as well, Enter ends a title and Esc drops it.
            Without a terminal it reads lines: add TITLE, toggle N, delete N, clear, quit.

            Exit: 0 quit, 1 commands that failed or no worker, 2 wrong use, \
            130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP.
            """
    )

    @Argument(help: "The socket to meet at, or a folder for it. Default: one of this user.")
    var path: String?

    package init() {}

    package static func main() async {
        do {
            if let worker = Worker.launchedBySupervisor(hosting: TodosFeature.self) {
                return try await worker.run()
            }
        } catch {
            Output.say("todos worker: \(error)")
            Glibc.exit(1)
        }
        await runCommand()
    }

    private static func runCommand() async {
        do {
            var command = try parseAsRoot()
            if let todos = command as? Todos {
                try await todos.show()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch let error as TodosError {
            Output.say("todos: \(error)")
            Glibc.exit(TodosError.exitCode)
        } catch {
            guard exitCode(for: error) != .success else {
                Output.line(fullMessage(for: error))
                Glibc.exit(0)
            }
            Output.say("todos: \(message(for: error)) (see todos --help)")
            Glibc.exit(TodosError.exitCode)
        }
    }

    @MainActor private func show() async throws {
        // Before there is anything that a signal could leave behind, or that could keep the program from hearing one.
        let signals = await Signals.trap()
        Output.survivePipes()
        let following = Task { await signals.follow() }
        defer { following.cancel() }
        let input = try Input()
        let socket = try SocketPlace.path(path)
        let terminal = Terminal()
        let isScreen = terminal != nil
        let logger = Logger(label: "todos") { _ in
            // Lines between those of a screen would spoil it; it shows how the worker is by itself.
            let handler: any LogHandler = isScreen ? SwiftLogNoOpLogHandler() : LineLogHandler()
            return handler
        }
        let ending = try await Sharing(socket: socket, logger: logger).run(signals) { viewModel, role in
            guard let terminal else {
                return await LineSession(viewModel, role, input).run(signals)
            }
            try terminal.enter()
            defer { terminal.leave() }
            return await TerminalSession(viewModel, role, input, terminal, place: socket).run(signals)
        }
        ending.tell()
        if let problem = Output.problem {
            Output.say("todos: \(problem)")
            throw ExitCode(1)
        }
        guard ending.exitCode.isSuccess else { throw ending.exitCode }
    }
}
