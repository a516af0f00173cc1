import LatticeCore
import Observation

/// Shows on standard error how far a view model's tally is: a bar on a terminal, else a line when the phase changes.
/// A worker that starts to serve is told in any case, so that anybody can find it.
@MainActor final class ProgressDisplay {
    /// A bar is drawn ten times a second at most.
    private static let interval: Duration = .milliseconds(100)

    private let viewModel: ViewModel<TallyFeature>
    private let isTerminal = Console.error.isTerminal
    private var shownPhase = ""
    private var shownIncarnation: UInt64 = 0
    private var hasBar = false

    init(_ viewModel: ViewModel<TallyFeature>) {
        self.viewModel = viewModel
    }

    /// Shows each change until the tally has come to its end, or nobody can serve it any more.
    func run() async {
        let changes = Observations { [viewModel] in Snapshot(viewModel) }
        var lastBar = ContinuousClock.now - Self.interval
        for await snapshot in changes {
            tellWorker(snapshot.host)
            if isTerminal {
                let wait = Self.interval - lastBar.duration(to: .now)
                // Cancelled: the bar is as it is.
                if wait > .zero, !snapshot.isLast { try? await Task.sleep(for: wait) }
                lastBar = .now
                draw()
            } else {
                tellPhase(snapshot)
            }
            if snapshot.isLast || Task.isCancelled { break }
        }
        endBar()
    }

    private struct Snapshot: Sendable {
        let view: TallyViewState
        let host: HostStatus

        @MainActor init(_ viewModel: ViewModel<TallyFeature>) {
            view = viewModel.viewState
            host = viewModel.host
        }

        var isLast: Bool {
            if case .failed = host { true } else { view.phase.isFinal }
        }
    }

    private func tellWorker(_ host: HostStatus) {
        guard case .serving(let serving) = host, serving.incarnation != shownIncarnation else { return }
        shownIncarnation = serving.incarnation
        tell("worker \(serving.processID) serving, incarnation \(serving.incarnation)")
    }

    private func tellPhase(_ snapshot: Snapshot) {
        let phase = ProgressText.phase(snapshot.view, snapshot.host)
        guard phase != shownPhase else { return }
        shownPhase = phase
        Console.say(ProgressText.line(snapshot.view, snapshot.host))
    }

    /// A line of its own, above the bar.
    private func tell(_ line: String) {
        endBar(erasing: true)
        Console.say(line)
    }

    private func draw() {
        var console = Console.error
        let bar = ProgressText.bar(viewModel.viewState, viewModel.host, columns: console.columns)
        console.write("\r\u{1B}[K" + bar)
        console.flush()
        hasBar = true
    }

    private func endBar(erasing: Bool = false) {
        guard hasBar else { return }
        hasBar = false
        var console = Console.error
        console.write(erasing ? "\r\u{1B}[K" : "\n")
        console.flush()
    }
}
