package import LatticeCore
import Observation

/// Shows the progress of a view model's job on standard error. On a terminal it draws a bar, and otherwise it prints a
/// line when the phase changes. In both cases it prints the messages of the job, and a line for each worker that begins
/// to serve, so that the user can find its process.
@MainActor package final class ProgressDisplay<Feature: HostedFeature> where Feature.ViewState: ProgressViewState {
    /// The minimum time between two drawings of the bar.
    private static var interval: Duration { .milliseconds(100) }

    private let viewModel: ViewModel<Feature>
    private let isTerminal = StatusLine.isTerminal
    private var shownPhase = ""
    private var shownIncarnation: UInt64 = 0
    private var pace = JobPace()

    /// Creates a display.
    package init(_ viewModel: ViewModel<Feature>) {
        self.viewModel = viewModel
    }

    /// Shows each change until the job has ended or no worker can serve it any more.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            // This runs apart from the bar, which waits between two drawings, so that no worker is missed.
            group.addTask { await self.reportWorkers() }
            await showProgress()
            group.cancelAll()
        }
        StatusLine.endBar()
    }

    private func reportWorkers() async {
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
            pace.add(snapshot.view)
            if isTerminal {
                let wait = Self.interval - lastBar.duration(to: .now)
                // If the task is cancelled, the bar is drawn once more without waiting.
                if wait > .zero, !snapshot.isLast { try? await Task.sleep(for: wait) }
                lastBar = .now
                let reported = Console.error.size.columns
                let columns = reported > 0 ? reported : 80
                StatusLine.draw(viewModel.viewState.bar(viewModel.hostStatus, pace, columns: columns))
            } else {
                reportPhase(snapshot)
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

    private func reportPhase(_ snapshot: Snapshot) {
        let phase = snapshot.view.phase(snapshot.host)
        guard phase != shownPhase else { return }
        shownPhase = phase
        StatusLine.say(snapshot.view.line(snapshot.host, pace))
    }
}
