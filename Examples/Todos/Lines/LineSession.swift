import ExampleSupport
import LatticeCore
import Observation

/// Without a terminal: prints the list whenever it changes, and carries out the commands of standard input.
@MainActor final class LineSession {
    private let viewModel: ViewModel<TodosFeature>
    private let role: Role
    private let input: Input
    private let commands: CommandQueue
    private var printed: TodosViewState?
    private var reported: HostStatus.Serving?
    private var hadErrors = false

    init(_ viewModel: ViewModel<TodosFeature>, _ role: Role, _ input: Input, _ commands: CommandQueue) {
        self.viewModel = viewModel
        self.role = role
        self.input = input
        self.commands = commands
    }

    func run(_ signals: Signals) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { await .ofHost(self.viewModel, self.role) }
            group.addTask { await self.followList() }
            group.addTask { await self.reportWorkers() }
            group.addTask { await self.runLines() }
            defer { group.cancelAll() }
            for await case let ending? in group { return ending }
            return .quit
        }
    }

    private func followList() async -> Ending? {
        for await _ in Observations({ [viewModel] in viewModel.viewState }) { printList() }
        return nil
    }

    /// Prints a line for each worker that begins to serve, so that the user can find its process.
    private func reportWorkers() async -> Ending? {
        for await host in Observations({ [viewModel] in viewModel.hostStatus }) {
            guard case .serving(let serving) = host, serving != reported else { continue }
            if let reported, reported.coordinator != serving.coordinator {
                Console.error.say("another coordinator answers now")
            }
            reported = serving
            Console.error.say("worker \(serving.processID) serving, incarnation \(serving.incarnation)")
        }
        return nil
    }

    private func printList() {
        let view = viewModel.viewState
        guard view != printed else { return }
        printed = view
        Console.output.put(TodoText.lines(view).map { $0 + "\n" }.joined())
    }

    private func runLines() async -> Ending? {
        // The list is printed first, because numbers refer to it.
        printList()
        while let piece = await input.next() {
            guard case .bytes(let bytes) = piece else {
                commands.end()
                _ = await runCommands()
                return Task.isCancelled ? nil : quit
            }
            commands.add(bytes)
            guard await runCommands() else { return quit }
        }
        return nil
    }

    /// Carries out the commands that were read, until the task is cancelled.
    ///
    /// - Returns: False if the program should quit.
    private func runCommands() async -> Bool {
        while !Task.isCancelled, let line = commands.next() {
            guard await run(line) else { return false }
        }
        return true
    }

    private var quit: Ending { hadErrors ? .quitWithErrors : .quit }

    /// Carries out a line. Returns false if the program should quit.
    private func run(_ line: String) async -> Bool {
        do {
            switch try LineCommand.parse(line, in: printed ?? TodosViewState()) {
            case nil: break
            case .quit: return false
            case .send(let action):
                // The next command sees the result of this one.
                commands.begin(line)
                let outcome = await viewModel.sendViewEvent(action).finish()
                // An event that is cancelled together with the program may have been applied.
                guard outcome == .finished || !Task.isCancelled else { return true }
                commands.done()
                if outcome != .finished { complain("not done: \(outcome)") }
                printList()
            }
        } catch {
            complain(error.description)
        }
        return true
    }

    private func complain(_ text: String) {
        hadErrors = true
        Console.error.say("todos: \(text)")
    }
}
