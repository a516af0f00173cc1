import ExampleSupport
import LatticeCore
import Observation
import UnixSignals

/// Shows the index on a terminal and searches for the typed word, until a key, a signal or the end of the index ends
/// it.
@MainActor final class IndexSession {
    /// The maximum time between an escape character and the rest of a key sequence.
    private static let escapeMilliseconds: Int32 = 50

    private let viewModel: ViewModel<IndexFeature>
    private let role: Role
    private let input: Input
    private let terminal: Terminal
    private let root: String
    private var field = SearchField()
    /// The newest answer, which may belong to an earlier word.
    private var answer: Answer?
    /// Requests a search for the current word.
    private let (asks, ask) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        _ viewModel: ViewModel<IndexFeature>,
        _ role: Role,
        _ input: Input,
        _ terminal: Terminal,
        root: String
    ) {
        self.viewModel = viewModel
        self.role = role
        self.input = input
        self.terminal = terminal
        self.root = root
    }

    func run(_ signals: Signals) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { await self.followSize() }
            group.addTask { await .ofHost(self.viewModel, self.role) }
            group.addTask { await self.followIndex() }
            group.addTask { await self.search() }
            group.addTask { await self.handleKeys() }
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
            answer,
            typed: field.text,
            root: root,
            host: viewModel.hostStatus,
            size: size
        )
        terminal.draw(screen.lines, size: size)
    }

    private func followIndex() async -> Ending? {
        var indexed = 0
        for await _ in Observations({ [viewModel] in (viewModel.viewState, viewModel.hostStatus) }) {
            draw()
            // Files that were read since the last answer may contain the word.
            if viewModel.viewState.indexed != indexed { ask.yield() }
            indexed = viewModel.viewState.indexed
        }
        return nil
    }

    /// Searches for the typed word, one question after the other. Requests that arrive meanwhile become one further
    /// question.
    private func search() async -> Ending? {
        for await _ in asks {
            let word = field.text
            do {
                answer = word.isEmpty ? nil : try await viewModel.ask(word)
            } catch {
                // The screen shows the status of the worker. The next question follows when it has read more files.
                answer = nil
            }
            draw()
        }
        return nil
    }

    private func followSize() async -> Ending? {
        let sizes = await UnixSignalsSequence(trapping: .sigwinch)
        // The size may have changed before the signal was observed.
        draw()
        for await _ in sizes { draw() }
        return nil
    }

    private func handleKeys() async -> Ending? {
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
                case .search: ask.yield()
                case .readAgain: viewModel.sendViewEvent(.read)
                case .quit: return .quit
                }
            }
            draw()
        }
        return nil
    }
}
