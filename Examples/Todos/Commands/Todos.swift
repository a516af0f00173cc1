package import ArgumentParser
import ExampleSupport
import LatticeCoordinator
import Logging

/// The program. It is a worker if a coordinator has started it, and otherwise a terminal that shows the list.
package struct Todos: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "todos",
        abstract: "A todo list that several terminals share.",
        discussion: """
            The first terminal keeps the list in a worker process, and further terminals show \
            the same list. When the first one quits, the list is gone and the others quit too.

            Keys: \(Screen.help); arrows move as well, Enter ends a title and Esc drops it.
            Without a terminal it reads lines: add TITLE, toggle N, delete N, clear, quit.

            Example: todos (in two terminals)

            Exit codes: 0 quit, 1 some commands failed or no worker is running, 2 wrong \
            usage, 130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP. In the latter cases \
            it first prints the commands that were not carried out.
            """
    )

    @Argument(help: "The socket of the list, or a folder for it. Default: one of this user.")
    var path: String?

    /// Creates the command.
    package init() {}

    /// Runs the program, as a worker or as a command.
    package static func main() async {
        await main(asWorkerHosting: TodosFeature.self)
    }

    @MainActor package func run() async throws {
        // Signals are trapped before there is anything that a signal could leave behind or that could block the
        // program.
        let signals = await Signals.trap()
        Console.survivePipes()
        let input = try Input()
        let socket = try SocketPlace.path(path, name: "todos.sock", of: "todos")
        let terminal = Terminal()
        let isScreen = terminal != nil
        var configuration = CoordinatorConfiguration()
        configuration.logger = Logger(label: "todos") { _ in
            // Log lines would disturb the screen, which shows the status of the worker itself.
            let handler: any LogHandler = isScreen ? SwiftLogNoOpLogHandler() : LineLogHandler { Console.error.say($0) }
            return handler
        }
        let commands = CommandQueue()
        let sharing = Sharing<TodosFeature>(socket: socket, configuration: configuration)
        let ending = try await sharing.run(signals) { viewModel, role in
            guard let terminal else {
                return await LineSession(viewModel, role, input, commands).run(signals)
            }
            try terminal.enter()
            defer { terminal.leave() }
            return await TerminalSession(viewModel, role, input, terminal, place: socket).run(signals)
        }
        ending.tell(as: "todos", of: "the list")
        if !isScreen, !ending.isQuit {
            for sentence in commands.sentences(rest: input.rest()) { Console.error.say("todos: \(sentence)") }
        }
        try Console.output.finish { Console.error.say("todos: cannot write the list: \($0)") }
        guard ending.exitCode.isSuccess else { throw ending.exitCode }
    }
}
