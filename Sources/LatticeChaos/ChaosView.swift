import LatticeClient
import LatticeCoordinator
import LatticeCore

/// A log as one participant sees it and sends to it.
@MainActor struct ChaosView {
    typealias Log = StateDictionary<Int, ChaosEvent>

    let send: (ChaosAction) -> EventTask
    let shown: () -> Log
    /// The status of the worker that serves the log, or nil if there is none.
    let serving: () -> HostStatus.Serving?
    /// Calls a closure with the current log and each later one, until the returned task is cancelled.
    let follow: (_ body: @escaping @MainActor (Log) -> Void) -> Task<Void, Never>

    private init(_ viewModel: ViewModel<ChaosFeature<some ChaosName>>) {
        send = { viewModel.sendViewEvent($0) }
        shown = { viewModel.viewState.log }
        serving = { viewModel.hostStatus.serving }
        follow = { body in
            let states = viewModel.viewStates
            // The task has no parent. The caller cancels it.
            return Task { for await state in states { body(state.log) } }
        }
    }

    /// Returns all logs, in the order of ``ChaosLog``.
    static func all(in host: some ChaosHost) async throws -> [ChaosView] {
        var views: [ChaosView] = []
        for log in ChaosLog.allCases { views.append(try await view(of: log, in: host)) }
        return views
    }

    private static func view(of log: ChaosLog, in host: some ChaosHost) async throws -> ChaosView {
        switch log {
        case .first, .firstAgain:
            ChaosView(try await host.viewModel(ChaosFeature<FirstChaos>.self, instance: log.instance))
        case .second: ChaosView(try await host.viewModel(ChaosFeature<SecondChaos>.self, instance: log.instance))
        }
    }
}

extension HostStatus {
    /// The worker that serves, even if it does not answer at the moment, or nil if there is none.
    var serving: Serving? {
        switch self {
        case .serving(let serving): serving
        case .unresponsive(let worker): Serving(incarnation: worker.incarnation, processID: worker.processID)
        default: nil
        }
    }
}

/// A process with view models: a coordinator or a client.
@MainActor protocol ChaosHost {
    func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String
    ) async throws -> ViewModel<Feature>
}

extension Coordinator: ChaosHost {}
extension Client: ChaosHost {}
