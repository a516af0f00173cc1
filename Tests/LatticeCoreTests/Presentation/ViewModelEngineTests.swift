import LatticeCore
import Observation
import Testing

private enum Plain: FeatureTypes {
    typealias Action = Int
    typealias DomainState = Never
    typealias ViewState = [Int]
}

/// An engine that does what the test says.
@MainActor
private final class FakeEngine: ViewModelEngine {
    var host = HostStatus.connecting
    weak var presenter: (any ViewModelPresenter<[Int]>)?
    var sent: [Int] = []
    let closed = Gate()
    let completion = EventCompletion()

    func start(presenter: any ViewModelPresenter<[Int]>) { self.presenter = presenter }

    func send(_ action: Int) -> EventTask {
        sent.append(action)
        return EventTask(completion: completion)
    }

    func send(_ action: Int, deadline: ContinuousClock.Instant) -> EventTask { send(action) }

    nonisolated func close() { closed.open() }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ViewModelEngineTests {
    @Test func anEngineDrivesTheViewModel() async {
        let engine = FakeEngine()
        var viewModel: ViewModel<Plain>? = ViewModel(viewState: [1], engine: engine, areViewStatesEqual: { $0 == $1 })
        let task = viewModel?.sendViewEvent(7)
        #expect(engine.sent == [7])
        #expect(task?.hasEffects == true)
        engine.presenter?.update { $0.append(2) }
        #expect(viewModel?.viewState == [1, 2])
        engine.completion.complete(.finished)
        #expect(await task?.finish() == .finished)
        viewModel = nil
        #expect(engine.presenter == nil)
        await engine.closed.wait()
    }

    @Test func hostAndViewStateAreObservedApart() {
        let engine = FakeEngine()
        let viewModel = ViewModel<Plain>(viewState: [1], engine: engine, areViewStatesEqual: { $0 == $1 })
        let hosts = Shared(0)
        let states = Shared(0)
        #expect(viewModel.hostStatus == .connecting)
        withObservationTracking({ _ = viewModel.hostStatus }, onChange: { hosts.increment() })
        withObservationTracking({ _ = viewModel.viewState }, onChange: { states.increment() })
        engine.presenter?.update(host: .connecting)
        engine.presenter?.update { $0 = [1] }
        #expect([hosts.value, states.value] == [0, 0])
        engine.presenter?.update(host: .serving(.init(incarnation: 1, processID: 2)))
        #expect([hosts.value, states.value] == [1, 0])
        engine.presenter?.update { $0 = [] }
        #expect([hosts.value, states.value] == [1, 1])
        #expect(viewModel.hostStatus == .serving(.init(incarnation: 1, processID: 2)))
    }
}
