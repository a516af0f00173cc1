import ExampleSupport
import LatticeCore
import Observation
import UnixSignals

/// Shows the list on a terminal and handles its keys, until a key, a signal or the end of the list ends it.
@MainActor final class TerminalSession {
    /// The maximum time between an escape character and the rest of a key sequence.
    private static let escapeMilliseconds: Int32 = 50
    /// The maximum time to wait for the last sent event when quitting.
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
            group.addTask { await self.handleKeys() }
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

    /// Redraws when the list or its host has changed, until the task is cancelled.
    private func followList() async -> Ending? {
        let changes = Observations { [viewModel] in Shown(view: viewModel.viewState, host: viewModel.hostStatus) }
        for await _ in changes { draw() }
        return nil
    }

    private func followSize() async -> Ending? {
        let sizes = await UnixSignalsSequence(trapping: .sigwinch)
        // The size may have changed before the signal was observed.
        draw()
        for await _ in sizes { draw() }
        return nil
    }

    private struct Shown: Sendable {
        let view: TodosViewState
        let host: HostStatus
    }

    private func handleKeys() async -> Ending? {
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
                        outcomes.addTask { await self.report(event) }
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

    /// Shows why an event was not carried out.
    private func report(_ event: EventTask) async {
        let outcome = await event.finish()
        guard outcome != .finished, !Task.isCancelled else { return }
        interface.notice = "not done: \(outcome)"
        draw()
    }

    /// Waits for the last event. Events end in the order in which they were sent, so one stands for all.
    private func settle(_ last: EventTask?) async {
        guard let last else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await last.finish() }
            // If this task is cancelled, the event has ended.
            group.addTask { try? await Task.sleep(for: Self.settleTimeout) }
            await group.next()
            group.cancelAll()
        }
    }
}
