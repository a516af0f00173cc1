package import LatticeCoordinator
package import LatticeCore

/// Runs a job of a feature, from the event that starts it to its end or until a signal arrives. Its progress is shown
/// here and in attached terminals.
@MainActor package struct JobRun<Feature: HostedFeature> where Feature.ViewState: ProgressViewState {
    private let socket: String
    private let configuration: CoordinatorConfiguration
    /// The action that starts the job.
    private let start: Feature.Action
    /// The action that cancels the job.
    private let cancel: Feature.Action

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - feature: The feature.
    ///   - socket: The socket for attached terminals.
    ///   - configuration: The configuration of the coordinator.
    ///   - start: The action that starts the job.
    ///   - cancel: The action that cancels the job.
    package init(
        of feature: Feature.Type,
        at socket: String,
        _ configuration: CoordinatorConfiguration,
        start: Feature.Action,
        cancel: Feature.Action
    ) {
        self.socket = socket
        self.configuration = configuration
        self.start = start
        self.cancel = cancel
    }

    /// Runs the job and shows its progress.
    ///
    /// - Returns: How the job ended, and its last acknowledged state, or nil if no worker has served.
    /// - Throws: ``ProgramError`` if there can be no coordinator at the socket.
    package func run(_ signals: Signals) async throws -> (JobEnding, Feature.DomainState?) {
        do {
            return try await withCoordinator(
                hosting: Feature.self,
                listeningAt: socket,
                configuration: configuration
            ) { coordinator in
                StatusLine.say("socket \(socket)")
                let ending = try await run(coordinator, signals)
                return (ending, coordinator.acknowledgedState(of: Feature.self))
            }
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }

    private func run(_ coordinator: Coordinator, _ signals: Signals) async throws -> JobEnding {
        try await withThrowingTaskGroup(of: JobEnding?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { try await work(coordinator) }
            defer { group.cancelAll() }
            let ending = try await group.next() ?? nil
            if case .signal = ending { await cancel(coordinator) }
            return ending ?? .done(incarnation: nil)
        }
    }

    private func work(_ coordinator: Coordinator) async throws -> JobEnding {
        let viewModel = try await coordinator.viewModel(Feature.self)
        let event = viewModel.sendViewEvent(start)
        async let display: Void = ProgressDisplay(viewModel).run()
        // This happens if the state is too large, for example. An event whose worker dies continues in the next one.
        if case .failed(let failure) = await event.finish() { return .failed(failure.message) }
        await display
        return switch viewModel.hostStatus {
        case .failed(let failure): .failed(failure.reason)
        case .serving(let serving): .done(incarnation: serving.incarnation)
        default: .done(incarnation: nil)
        }
    }

    /// Cancels the job, so that the results so far are complete. It waits at most a second for a worker that does not
    /// answer.
    private func cancel(_ coordinator: Coordinator) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sendCancel(coordinator) }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func sendCancel(_ coordinator: Coordinator) async {
        // Without a worker, there is nothing to cancel.
        let viewModel = try? await coordinator.viewModel(Feature.self)
        await viewModel?.sendViewEvent(cancel).finish()
    }
}
