import LatticeClient
import LatticeCoordinator
import LatticeCore

/// One of the logs, as somebody sees it and sends to it.
@MainActor struct ChaosView {
    let send: (ChaosAction) -> EventTask
    let shown: () -> StateDictionary<Int, ChaosEvent>

    private init(_ viewModel: ViewModel<ChaosFeature<some ChaosName>>) {
        send = { viewModel.sendViewEvent($0) }
        shown = { viewModel.viewState.log }
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

/// Who has view models: a coordinator, or a client.
@MainActor protocol ChaosHost {
    func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String
    ) async throws -> ViewModel<Feature>
}

extension Coordinator: ChaosHost {}
extension Client: ChaosHost {}
