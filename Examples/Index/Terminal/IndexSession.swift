import ExampleSupport
import LatticeCore
import Observation
import UnixSignals

/// Shows the index on a terminal and searches for what is typed, until a key, a signal or the index's own end ends it.
@MainActor final class IndexSession {
    /// How long after an escape the rest of a sequence may come.
    private static let escapeMilliseconds: Int32 = 50

    private let viewModel: ViewModel<IndexFeature>
    private let role: Role
    private let input: Input
    private let terminal: Terminal
    private let root: String
    /// The name under which this terminal has its answer.
    private let name: String
    private var field = SearchField()

    init(
        _ viewModel: ViewModel<IndexFeature>,
        _ role: Role,
        _ input: Input,
        _ terminal: Terminal,
        root: String,
        name: String
    ) {
        self.viewModel = viewModel
        self.role = role
        self.input = input
        self.terminal = terminal
        self.root = root
        self.name = name
    }

    func run(_ signals: Signals) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { await self.followSize() }
            group.addTask { await .ofHost(self.viewModel, self.role) }
            group.addTask { await self.followIndex() }
            group.addTask { await self.obeyKeys() }
            defer { group.cancelAll() }
            for await case let ending? in group { return ending }
            return .quit
        }
    }

    private func draw() {
        let view = viewModel.viewState
        let size = terminal.size
        let screen = IndexScreen(
            view,
            view.answers[name],
            typed: field.text,
            root: root,
            host: viewModel.hostStatus,
            size: size
        )
        terminal.draw(screen.lines, size: size)
    }

    private func followIndex() async -> Ending? {
        for await _ in Observations({ [viewModel] in (viewModel.viewState, viewModel.hostStatus) }) { draw() }
        return nil
    }

    private func followSize() async -> Ending? {
        let sizes = await UnixSignalsSequence(trapping: .sigwinch)
        // It may have changed before that was listened for.
        draw()
        for await _ in sizes { draw() }
        return nil
    }

    private func obeyKeys() async -> Ending? {
        var parser = KeyParser()
        while let piece = await input.next(within: parser.isPending ? Self.escapeMilliseconds : nil) {
            let keys: [Key] =
                switch piece {
                case .bytes(let bytes): parser.feed(bytes)
                case .pause: parser.pause()
                case .end: [.interrupt]
                }
            for key in keys {
                switch field.handle(key) {
                case .nothing: break
                case .search(let word): viewModel.sendViewEvent(.search(terminal: name, word: word))
                case .readAgain: viewModel.sendViewEvent(.read)
                case .quit:
                    await viewModel.sendViewEvent(.search(terminal: name, word: nil)).finish(within: .seconds(1))
                    return .quit
                }
            }
            draw()
        }
        return nil
    }
}

extension EventTask {
    /// Waits for the end, or until the limit: of one who quits nobody knows whether it is told.
    fileprivate func finish(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.finish() }
            // Cancelled: the event has ended.
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
