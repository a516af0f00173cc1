import LatticeCore
import Testing

/// Tests that only view states are compared, unless the feature asks for more.
@MainActor
struct ChangeRuleTests {
    private struct State: Equatable, Sendable {
        var count = 0
        var names = ["a"]
    }

    private struct Numbers: Equatable, Sendable {
        var values = Array(0..<1_000)
        var copies = 0

        mutating func change(_ index: Int) {
            let before = place
            values[index] += 1
            if before != place { copies += 1 }
        }

        var place: UnsafePointer<Int>? { values.withUnsafeBufferPointer { $0.baseAddress } }
    }

    /// Counts how often it is compared.
    private struct Element: Equatable, Sendable {
        static let comparisons = Shared(0)
        var number: Int

        static func == (lhs: Self, rhs: Self) -> Bool {
            comparisons.update { $0 += 1 }
            return lhs.number == rhs.number
        }
    }

    @Test("The reducer runs once in each turn, and an unchanged view state notifies no observer (contract 40)")
    func everyTurnIsReduced() async {
        let reductions = Shared(0)
        let viewModel = ViewModel(
            initialDomainState: State(),
            feature: Feature(
                interactor: Interact<State, Int> { state, action in
                    state.count += action
                    return action > 0 ? .action(0) : .none
                },
                reducer: BuildViewState<State, Int>(initial: { _ in 0 }) { state, shown in
                    reductions.update { $0 += 1 }
                    shown = state.count
                }
            )
        )
        let before = reductions.value
        var states = viewModel.viewStates.makeAsyncIterator()
        for (action, shown) in [(0, 0), (1, 1), (0, 1), (2, 3)] {
            viewModel.sendViewEvent(action)
            if shown != viewModel.viewState { Issue.record("\(viewModel.viewState) after \(action)") }
        }
        #expect(reductions.value - before == 4)
        #expect(await states.next() == 3)
    }

    @Test("An equal view state with different bytes is stored, and notifies no observer")
    func otherBytesAreKept() {
        let (viewModel, engine) = makeShown("caf\u{E9}")
        let heard = whoHears([("viewState", { _ = viewModel.viewState })]) { engine.update { $0 = "cafe\u{301}" } }
        #expect(heard == [])
        #expect(Array(viewModel.viewState.utf8) == Array("cafe\u{301}".utf8))
    }

    @Test("A feature's own comparison runs in every turn, and an unchanged state is not reduced (contract 40)")
    func anOwnComparisonIsAlwaysAsked() {
        let asked = Shared(0)
        let viewModel = ViewModel(
            initialDomainState: State(),
            feature: Feature(
                interactor: Interact<State, Int> { state, action in
                    state.count += action
                    if action == 0 { state.names.append("b") }
                    return .none
                },
                reducer: BuildViewState<State, Int>(initial: { _ in 0 }) { $1 = $0.names.count },
                areStatesEqual: {
                    asked.update { $0 += 1 }
                    return $0.count == $1.count
                }
            )
        )
        for _ in 0..<100 { viewModel.sendViewEvent(1) }
        viewModel.sendViewEvent(0)
        #expect(viewModel.viewState == 1)
        viewModel.sendViewEvent(1)
        #expect(viewModel.viewState == 2)
        #expect(asked.value == 102)
    }

    @Test(
        "No turn copies a hidden state, whether or not the view state changes (W12)",
        arguments: [true, false]
    )
    func turnsDoNotCopyTheState(isShown: Bool) {
        let viewModel = ViewModel(
            initialDomainState: Numbers(),
            feature: Feature(
                interactor: Interact<Numbers, Int> { state, action in
                    state.change(action)
                    return .none
                },
                reducer: BuildViewState<Numbers, [Int]>(initial: { _ in [] }) { state, shown in
                    shown = [state.copies]
                    if isShown { shown.append(state.values.prefix(500).reduce(0, +)) }
                }
            )
        )
        for action in 0..<500 { viewModel.sendViewEvent(action) }
        #expect(viewModel.viewState[0] == 0)
    }

    @Test("A turn that leaves the view state unchanged copies nothing and compares no element (W12)")
    func unchangedStorageIsComparedAtOnce() {
        let viewModel = ViewModel(
            initialDomainState: (0..<1_000).map { Element(number: $0) },
            feature: Feature(
                interactor: Interact<[Element], Int?> { state, index in
                    if let index { state[index].number += 1 }
                    return .none
                }
            )
        )
        func place() -> UnsafePointer<Element>? { viewModel.viewState.withUnsafeBufferPointer { $0.baseAddress } }
        viewModel.sendViewEvent(999)
        #expect(viewModel.viewState[999].number == 1_000)
        let (before, comparisons) = (place(), Element.comparisons.value)
        for _ in 0..<100 { viewModel.sendViewEvent(nil) }
        #expect(place() == before)
        #expect(Element.comparisons.value == comparisons)
    }

    @Test("A turn that changes no observed part of the state also copies nothing and compares no element (W12)")
    func unchangedPartsStayWhereTheyAre() {
        let viewModel = ViewModel(
            initialDomainState: Board(rows: (0..<100).map { Row($0) }),
            feature: Feature(
                interactor: Interact<Board, String?> { state, name in
                    if let name { state.rows[50].name = name }
                    return .none
                }
            )
        )
        func place() -> UnsafePointer<Row>? { viewModel.rows.withUnsafeBufferPointer { $0.baseAddress } }
        viewModel.sendViewEvent("changed")
        #expect(viewModel.rows[50].name == "changed")
        let before = place()
        viewModel.sendViewEvent(nil)
        #expect(place() == before)
    }
}
