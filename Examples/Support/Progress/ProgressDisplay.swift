package import LatticeCore
import Observation

/// Shows on standard error how far a view model's job is: a bar on a terminal, else a line when the phase changes.
/// A worker that starts to serve is told in any case, so that anybody can find it, and so is what the job has to say.
@MainActor package final class ProgressDisplay<Feature: HostedFeature> where Feature.ViewState: JobProgress {
    /// A bar is drawn ten times a second at most.
    private static var interval: Duration { .milliseconds(100) }

    private let viewModel: ViewModel<Feature>
    private let isTerminal = StatusLine.isTerminal
    private var shownPhase = ""
    private var shownIncarnation: UInt64 = 0

    package init(_ viewModel: ViewModel<Feature>) {
        self.viewModel = viewModel
    }

    /// Shows each change until the job has come to its end, or nobody can serve it any more.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            // Apart from the bar, which waits between two drawings: no worker may be missed.
            group.addTask { await self.tellWorkers() }
            await showProgress()
            group.cancelAll()
        }
        StatusLine.endBar()
    }

    private func tellWorkers() async {
        for await host in Observations({ [viewModel] in viewModel.hostStatus }) {
            guard case .serving(let serving) = host, serving.incarnation != shownIncarnation else { continue }
            shownIncarnation = serving.incarnation
            StatusLine.say("worker \(serving.processID) serving, incarnation \(serving.incarnation)")
        }
    }

    private func showProgress() async {
        var lastBar = ContinuousClock.now - Self.interval
        var shown: Feature.ViewState?
        for await snapshot in Observations({ [viewModel] in Snapshot(viewModel) }) {
            for line in snapshot.view.news(since: shown) { StatusLine.say(line) }
            shown = snapshot.view
            if isTerminal {
                let wait = Self.interval - lastBar.duration(to: .now)
                // Cancelled: the bar is as it is.
                if wait > .zero, !snapshot.isLast { try? await Task.sleep(for: wait) }
                lastBar = .now
                let told = Console.error.size.columns
                let columns = told > 0 ? told : 80
                StatusLine.draw(viewModel.viewState.bar(viewModel.hostStatus, columns: columns))
            } else {
                tellPhase(snapshot)
            }
            if snapshot.isLast || Task.isCancelled { break }
        }
    }

    private struct Snapshot: Sendable {
        let view: Feature.ViewState
        let host: HostStatus

        @MainActor init(_ viewModel: ViewModel<Feature>) {
            view = viewModel.viewState
            host = viewModel.hostStatus
        }

        var isLast: Bool {
            if case .failed = host { true } else { view.isFinal }
        }
    }

    private func tellPhase(_ snapshot: Snapshot) {
        let phase = snapshot.view.phase(snapshot.host)
        guard phase != shownPhase else { return }
        shownPhase = phase
        StatusLine.say(snapshot.view.line(snapshot.host))
    }
}
