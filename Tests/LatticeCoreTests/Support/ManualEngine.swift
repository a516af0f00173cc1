import LatticeCore
import Observation

/// A feature of which only the view state matters.
enum Shown<ViewState: Sendable>: FeatureTypes {
    typealias Action = Int
    typealias DomainState = Never
    typealias ViewState = ViewState
}

/// An engine that shows what the test says.
@MainActor
final class ManualEngine<ViewState: Sendable>: ViewModelEngine {
    let host = HostStatus.local
    private weak var presenter: (any ViewModelPresenter<ViewState>)?

    func start(presenter: any ViewModelPresenter<ViewState>) { self.presenter = presenter }

    func send(_ action: Int) -> EventTask { EventTask(ended: .finished) }
    func send(_ action: Int, deadline: ContinuousClock.Instant) -> EventTask { send(action) }

    nonisolated func close() {}

    func update(keepsIdentity: Bool = false, _ change: (inout ViewState) -> Void) {
        presenter?.update(keepsIdentity: keepsIdentity, change)
    }
}

/// A view model and the engine that drives it.
@MainActor
func makeShown<ViewState: Equatable & Sendable>(
    _ viewState: ViewState
) -> (viewModel: ViewModel<Shown<ViewState>>, engine: ManualEngine<ViewState>) {
    let engine = ManualEngine<ViewState>()
    return (ViewModel(viewState: viewState, engine: engine, areViewStatesEqual: { $0 == $1 }), engine)
}

/// Returns the names of the readers that are notified while `act` runs, in order. A name is repeated for each
/// notification.
@MainActor
func whoHears(_ readers: [(name: String, read: () -> Void)], _ act: () -> Void) -> [String] {
    let heard = Shared<[String]>([])
    for (name, read) in readers {
        withObservationTracking(read) {
            heard.update { $0.append(name) }
        }
    }
    act()
    return heard.value.sorted()
}
