import ExampleSupport
import LatticeCore
import Observation
import UnixSignals

/// Shows the list on a terminal and obeys its keys, until one of them, a signal or the list's own end ends it.
@MainActor final class TerminalSession {
    /// How long after an escape the rest of a sequence may come.
    private static let escapeMilliseconds: Int32 = 50
    /// How long quitting waits for what was sent to arrive.
    private static let settleTimeout: Duration = .seconds(1)

    private let viewModel: ViewModel<TodosFeature>
    private let role: Role
    private let input: Input
    private let terminal: Terminal
    private let place: String
    private var interface = Interface()

    init(_ viewModel: ViewModel<TodosFeature>, _ role: Role, _ input: Input, _ terminal: Terminal, place: String) {
        self.viewModel = viewModel
        self.role = role
        self.input = input
        self.terminal = terminal
        self.place = place
    }

    func run(_ signals: Signals) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { await self.followSize() }
            group.addTask { await .ofHost(self.viewModel, self.role) }
            group.addTask { await self.followList() }
            group.addTask { await self.obeyKeys() }
            defer { group.cancelAll() }
            for await case let ending? in group { return ending }
            return .quit
        }
    }

    private func draw() {
        interface.follow(viewModel.viewState)
        let size = terminal.size
        let screen = Screen(viewModel.viewState, interface, host: viewModel.hostStatus, place: place, size: size)
        terminal.draw(screen.lines, size: size)
    }

    /// Draws what has changed in the list or its host, until the task is cancelled.
    private func followList() async -> Ending? {
        let changes = Observations { [viewModel] in Shown(view: viewModel.viewState, host: viewModel.hostStatus) }
        for await _ in changes { draw() }
        return nil
    }

    private func followSize() async -> Ending? {
        let sizes = await UnixSignalsSequence(trapping: .sigwinch)
        // It may have changed before that was listened for.
        draw()
        for await _ in sizes { draw() }
        return nil
    }

    private struct Shown: Sendable {
        let view: TodosViewState
        let host: HostStatus
    }

    private func obeyKeys() async -> Ending? {
        await withDiscardingTaskGroup { outcomes in
            var parser = KeyParser()
            var last: EventTask?
            while let piece = await input.next(within: parser.isPending ? Self.escapeMilliseconds : nil) {
                let keys: [Key] =
                    switch piece {
                    case .bytes(let bytes): parser.feed(bytes)
                    case .pause: parser.pause()
                    case .end: [.interrupt]
                    }
                for key in keys {
                    switch interface.handle(key, in: viewModel.viewState) {
                    case .nothing: break
                    case .send(let action):
                        let event = viewModel.sendViewEvent(action)
                        last = event
                        outcomes.addTask { await self.tell(event) }
                    case .quit:
                        await settle(last)
                        outcomes.cancelAll()
                        return .quit
                    }
                }
                draw()
            }
            return nil
        }
    }

    /// Says why an event came to nothing.
    private func tell(_ event: EventTask) async {
        let outcome = await event.finish()
        guard outcome != .finished, !Task.isCancelled else { return }
        interface.notice = "not done: \(outcome)"
        draw()
    }

    /// Events end in the order in which they were sent, so one stands for all.
    private func settle(_ last: EventTask?) async {
        guard let last else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await last.finish() }
            // Cancelled: the event has ended.
            group.addTask { try? await Task.sleep(for: Self.settleTimeout) }
            await group.next()
            group.cancelAll()
        }
    }
}
