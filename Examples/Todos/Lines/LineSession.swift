import ExampleSupport
import LatticeCore
import Observation

/// Prints the list once per change and obeys lines, where there is no terminal.
@MainActor final class LineSession {
    private let viewModel: ViewModel<TodosFeature>
    private let role: Role
    private let input: Input
    private let commands: CommandQueue
    private var printed: TodosViewState?
    private var told: HostStatus.Serving?
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
            group.addTask { await self.tellWorkers() }
            group.addTask { await self.obeyLines() }
            defer { group.cancelAll() }
            for await case let ending? in group { return ending }
            return .quit
        }
    }

    private func followList() async -> Ending? {
        for await _ in Observations({ [viewModel] in viewModel.viewState }) { printList() }
        return nil
    }

    /// A worker that starts to serve is told, so that anybody can find it.
    private func tellWorkers() async -> Ending? {
        for await host in Observations({ [viewModel] in viewModel.hostStatus }) {
            guard case .serving(let serving) = host, serving != told else { continue }
            if let told, told.coordinator != serving.coordinator {
                Console.error.say("another coordinator answers now")
            }
            told = serving
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

    private func obeyLines() async -> Ending? {
        // Numbers refer to what was printed.
        printList()
        while let piece = await input.next() {
            guard case .bytes(let bytes) = piece else {
                commands.end()
                _ = await obeyCommands()
                return Task.isCancelled ? nil : quit
            }
            commands.add(bytes)
            guard await obeyCommands() else { return quit }
        }
        return nil
    }

    /// Obeys what was read, until the task is cancelled.
    ///
    /// - Returns: Whether to go on.
    private func obeyCommands() async -> Bool {
        while !Task.isCancelled, let line = commands.next() {
            guard await obey(line) else { return false }
        }
        return true
    }

    private var quit: Ending { hadErrors ? .quitWithErrors : .quit }

    /// Answers whether to go on.
    private func obey(_ line: String) async -> Bool {
        do {
            switch try LineCommand.parse(line, in: printed ?? TodosViewState()) {
            case nil: break
            case .quit: return false
            case .send(let action):
                // The next command sees what this one has done.
                commands.begin(line)
                let outcome = await viewModel.sendViewEvent(action).finish()
                // What is cancelled with the program may have been done.
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
