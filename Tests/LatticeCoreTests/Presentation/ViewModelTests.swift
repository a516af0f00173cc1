import LatticeCore
import Observation
import Testing

private struct Counter: Codable, Equatable, Sendable {
    var count = 0
    var hidden = 0
}

private struct CounterView: Codable, Equatable, Sendable, DefaultValueProvider {
    var text = ""
    var reductions = 0
    static let defaultValue = CounterView(text: "default")
}

private enum CounterAction: Codable, Equatable, Sendable {
    case add(Int)
    case hide
    case addTwice
    case load
    case wait
}

/// A state with properties that have the names of members of the view model.
private struct Machine: Equatable, Sendable {
    var host = "a.example"
    var bindings = 1
    var viewStates = 2
    var hostStatus = 3
}

private enum MachineAction: CasePathable {
    case hostChanged(String)
    case bindingsChanged(Int)

    struct AllCasePaths {
        var hostChanged: AnyCasePath<MachineAction, String> {
            AnyCasePath(
                embed: { .hostChanged($0) },
                extract: { if case .hostChanged(let host) = $0 { host } else { nil } }
            )
        }
        var bindingsChanged: AnyCasePath<MachineAction, Int> {
            AnyCasePath(
                embed: { .bindingsChanged($0) },
                extract: { if case .bindingsChanged(let bindings) = $0 { bindings } else { nil } }
            )
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private enum CounterFeature: HostedFeature {
    typealias Action = CounterAction
    typealias DomainState = Counter
    typealias ViewState = CounterView

    static let identifier = "counter"
    static func initialDomainState(in context: HostContext) -> Counter { Counter() }

    static func interactor(in context: HostContext) -> some Interactor<Counter, CounterAction> & Sendable {
        makeInteractor(reductions: nil)
    }

    static func reducer() -> some ViewStateReducer<Counter, CounterView> & Sendable {
        makeReducer(Shared(0))
    }
}

private func makeInteractor(
    reductions: Shared<Int>?,
    started: Gate? = nil,
    ended: Gate? = nil
) -> Interact<Counter, CounterAction> {
    Interact { state, action in
        switch action {
        case .add(let value):
            state.count += value
            return .none
        case .hide:
            state.hidden += 1
            return .none
        case .addTwice:
            return .merge(.action(.add(1)), .action(.add(1)))
        case .load:
            state.count = -1
            return .perform { .add(11) }
        case .wait:
            return .run { _ in
                defer { ended?.open() }
                try await waitForCancellation(started: started)
            }
        }
    }
}

private func makeReducer(_ reductions: Shared<Int>) -> BuildViewState<Counter, CounterView> {
    BuildViewState { domain, view in
        reductions.increment()
        view.text = "\(domain.count)"
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ViewModelTests {
    private typealias CounterModel = ViewModel<Feature<CounterAction, Counter, CounterView>>

    private func makeViewModel(
        _ reductions: Shared<Int> = Shared(0),
        started: Gate? = nil,
        ended: Gate? = nil
    ) -> CounterModel {
        ViewModel(
            initialDomainState: Counter(),
            feature: Feature(
                interactor: makeInteractor(reductions: reductions, started: started, ended: ended),
                reducer: makeReducer(reductions)
            )
        )
    }

    /// Calls `body` each time what `read` reads is about to change.
    private func observe(_ read: @escaping @MainActor () -> Void, _ body: @escaping @MainActor () -> Void) {
        withObservationTracking(read) {
            MainActor.assumeIsolated {
                observe(read, body)
                body()
            }
        }
    }

    @Test func theFirstViewStateIsReducedOnce() {
        let reductions = Shared(0)
        let viewModel = makeViewModel(reductions)
        #expect(viewModel.viewState.text == "0")
        #expect(viewModel.text == "0")
        #expect(viewModel.hostStatus == .local)
        #expect(reductions.value == 1)
    }

    @Test("Sending updates the view state before it returns (contract 33)")
    func sendingUpdatesBeforeItReturns() {
        let viewModel = makeViewModel()
        let task = viewModel.sendViewEvent(.add(2))
        #expect(viewModel.viewState.text == "2")
        #expect(!task.hasEffects)
    }

    @Test("The start of an effect shows at once, and its result after finish (contract 34)")
    func effectsShowWhenTheyHaveEnded() async {
        let viewModel = makeViewModel()
        let task = viewModel.sendViewEvent(.load)
        #expect(viewModel.text == "-1")
        #expect(await task.finish() == .finished)
        #expect(viewModel.text == "10")
    }

    @Test("An event whose deadline has passed does nothing")
    func aDeadlineThatHasPassed() async {
        let viewModel = makeViewModel()
        let task = viewModel.sendViewEvent(.add(2), deadline: .now)
        #expect(await task.finish() == .rejected(.deadlinePassed))
        #expect(viewModel.text == "0")
    }

    @Test("The effects of an event are cancelled at its deadline")
    func aDeadlineCancels() async {
        let (started, ended) = (Gate(), Gate())
        let viewModel = makeViewModel(started: started, ended: ended)
        let task = viewModel.sendViewEvent(.wait, deadline: .now + .milliseconds(50))
        #expect(await task.finish() == .cancelled)
        // On a busy machine the effect may not begin in time.
        if started.isOpen { await ended.wait() }
    }

    @Test("An event that ends before its deadline ends like any other")
    func aDeadlineThatIsFarAway() async {
        let viewModel = makeViewModel()
        let task = viewModel.sendViewEvent(.load, deadline: .now + .seconds(86_400))
        #expect(await task.finish() == .finished)
        #expect(viewModel.text == "10")
        #expect(!task.isCancelled)
        #expect(await viewModel.sendViewEvent(.add(1), deadline: .now + .seconds(86_400)).finish() == .finished)
    }

    @Test func eachTurnReducesOnce() {
        let reductions = Shared(0)
        let viewModel = makeViewModel(reductions)
        viewModel.sendViewEvent(.addTwice)
        #expect(reductions.value == 2)
        viewModel.sendViewEvent(.add(0))
        #expect(reductions.value == 3)
    }

    @Test func observersAreNotifiedOncePerTurnAndOnlyOfChanges() {
        let viewModel = makeViewModel()
        let heard = Shared(0)
        observe({ _ = viewModel.viewState }, { heard.increment() })
        let table: [(CounterAction, Int)] = [(.add(1), 1), (.addTwice, 2), (.hide, 2), (.add(0), 2), (.add(1), 3)]
        for (action, expected) in table {
            viewModel.sendViewEvent(action)
            #expect(heard.value == expected, "\(action)")
        }
    }

    @Test func observersOfAMemberAreNotifiedToo() {
        let viewModel = makeViewModel()
        let heard = Shared(0)
        withObservationTracking {
            _ = viewModel.text
        } onChange: {
            heard.increment()
        }
        viewModel.sendViewEvent(.add(1))
        #expect(heard.value == 1)
    }

    @Test func aSendFromAnObserverIsHandledBehindTheTurn() async {
        let viewModel = makeViewModel()
        let tasks = Shared<[EventTask]>([])
        withObservationTracking {
            _ = viewModel.viewState
        } onChange: {
            MainActor.assumeIsolated {
                let task = viewModel.sendViewEvent(.add(10))
                tasks.update { $0.append(task) }
                // The outer turn has not been shown yet, and the inner one not been handled.
                #expect(viewModel.text == "0")
            }
        }
        viewModel.sendViewEvent(.add(1))
        #expect(viewModel.text == "11")
        #expect(await tasks.value[0].finish() == .finished)
    }

    @Test func withoutAReducerTheDomainStateIsShown() {
        let viewModel = ViewModel(
            initialDomainState: Counter(),
            feature: Feature(interactor: makeInteractor(reductions: nil))
        )
        #expect(viewModel.viewState == Counter())
        viewModel.sendViewEvent(.add(3))
        #expect(viewModel.viewState == Counter(count: 3))
        #expect(viewModel.count == 3)
    }

    @Test func ownEqualityDecidesWhetherToReduce() {
        let reductions = Shared(0)
        let viewModel = ViewModel(
            initialDomainState: Counter(),
            feature: Feature(
                interactor: makeInteractor(reductions: nil),
                reducer: makeReducer(reductions),
                areStatesEqual: { $0.count / 10 == $1.count / 10 }
            )
        )
        viewModel.sendViewEvent(.add(5))
        #expect(viewModel.text == "0")
        viewModel.sendViewEvent(.add(5))
        #expect(viewModel.text == "10")
        #expect(reductions.value == 2)
    }

    @Test func aViewModelThatGoesCancelsItsEffects() async {
        let started = Gate()
        let ended = Gate()
        var viewModel: CounterModel? = makeViewModel(started: started, ended: ended)
        weak let weakModel = viewModel
        let task = viewModel?.sendViewEvent(.wait)
        await started.wait()
        viewModel = nil
        #expect(weakModel == nil)
        await ended.wait()
        #expect(await task?.finish() == .cancelled)
        #expect(task?.isCancelled == true)
    }

    @Test func aViewModelMayGoOnAnotherThread() async {
        let started = Gate()
        let ended = Gate()
        var viewModel: CounterModel? = makeViewModel(started: started, ended: ended)
        viewModel?.sendViewEvent(.wait)
        await started.wait()
        let last = Shared<CounterModel?>(viewModel)
        viewModel = nil
        await Task.detached { last.update { $0 = nil } }.value
        await ended.wait()
    }

    @Test("A view state's property named host is read through the view model")
    func aViewStatesOwnHostIsRead() {
        let viewModel = ViewModel(
            initialDomainState: Machine(),
            feature: Feature(
                interactor: Interact<Machine, MachineAction> { state, action in
                    if case .hostChanged(let host) = action { state.host = host }
                    return .none
                }
            )
        )
        viewModel.bindings.host.sending(\.hostChanged).value = "b.example"
        #expect(viewModel.host == "b.example")
        #expect(viewModel.hostStatus == .local)
    }

    @Test("A view model's members hide view state members of the same name, which viewState still reads")
    func membersOfTheViewModelComeFirst() {
        let viewModel = ViewModel(
            initialDomainState: Machine(),
            feature: Feature(interactor: EmptyInteractor<Machine, MachineAction>())
        )
        let bindings: ViewModelBindings<Feature<MachineAction, Machine, Machine>> = viewModel.bindings
        let viewStates: ViewStates<Machine> = viewModel.viewStates
        let hostStatus: HostStatus = viewModel.hostStatus
        withExtendedLifetime((bindings, viewStates)) {}
        #expect(hostStatus == .local)
        #expect(viewModel.viewState.bindings == 1)
        #expect(viewModel.viewState.viewStates == 2)
        #expect(viewModel.viewState.hostStatus == 3)
        #expect(viewModel.bindings.bindings.sending(\.bindingsChanged).value == 1)
    }

    @Test func aHostedFeatureRunsInProcess() async {
        let viewModel = ViewModel(inProcess: CounterFeature.self)
        #expect(viewModel.text == "0")
        #expect(await viewModel.sendViewEvent(.load).finish() == .finished)
        #expect(viewModel.text == "10")
        #expect(CounterFeature.schema == 1)
        #expect(CounterFeature.recovery(from: Interruption(cause: .hang, incarnation: 1), in: Counter()) == nil)
    }
}
