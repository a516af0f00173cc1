import LatticeClient
import LatticeCoordinator
import LatticeCore

/// One of the logs, as somebody sees it and sends to it.
@MainActor struct ChaosView {
    typealias Log = StateDictionary<Int, ChaosEvent>

    let send: (ChaosAction) -> EventTask
    let shown: () -> Log
    /// What serves it; nil if nothing does.
    let serving: () -> HostStatus.Serving?
    /// Has the present log and each later one taken down, until it is cancelled.
    let follow: (_ body: @escaping @MainActor (Log) -> Void) -> Task<Void, Never>

    private init(_ viewModel: ViewModel<ChaosFeature<some ChaosName>>) {
        send = { viewModel.sendViewEvent($0) }
        shown = { viewModel.viewState.log }
        serving = { viewModel.hostStatus.serving }
        follow = { body in
            let states = viewModel.viewStates
            // Parentless: whoever asked for it cancels it.
            return Task { for await state in states { body(state.log) } }
        }
    }

    /// All logs, in the order of ``ChaosLog``.
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
    /// What serves, though it may not answer at the moment; nil if nothing does.
    var serving: Serving? {
        switch self {
        case .serving(let serving): serving
        case .unresponsive(let worker): Serving(incarnation: worker.incarnation, processID: worker.processID)
        default: nil
        }
    }
}

/// Who has view models: a coordinator, or a client.
@MainActor protocol ChaosHost {
    func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String
    ) async throws -> ViewModel<Feature>
}

extension Coordinator: ChaosHost {}
extension Client: ChaosHost {}
