import Testing

@testable import LatticeCore

private func add(_ name: String) -> Interact<[String], Int> {
    Interact { state, action in
        state.append("\(name)\(action)")
        return .none
    }
}

private struct Composed: Interactor, Sendable {
    let isOn: Bool

    var body: some Interactor<[String], Int> {
        add("first")
        if isOn { add("on") }
        if isOn { add("either") } else { Interactors.Merge(add("or"), add("else")) }
        for index in 0..<2 { add("loop\(index)-") }
        if #available(macOS 26, *) { add("available") }
        anyInteractor
    }

    private var anyInteractor: any Interactor<[String], Int> & Sendable { add("any") }
}

private func requireSendable(_ value: some Sendable) {}

@MainActor
struct InteractorBuilderTests {
    @Test(arguments: [
        (true, ["first7", "on7", "either7", "loop0-7", "loop1-7", "available7", "any7"]),
        (false, ["first7", "or7", "else7", "loop0-7", "loop1-7", "available7", "any7"]),
    ])
    func statementsRunInTheirOrder(isOn: Bool, expected: [String]) {
        let runtime = FeatureRuntime(
            initialState: [],
            interactor: Composed(isOn: isOn),
            isolation: MainActor.shared,
            areStatesEqual: { $0 == $1 }
        )
        runtime.send(7)
        #expect(runtime.state == expected)

        var direct: [String] = []
        _ = Composed(isOn: isOn).interact(state: &direct, action: 7)
        #expect(direct == expected)
    }

    @Test func anEmptyBuilderIgnoresActions() {
        let interactor = Interactors.CollectInteractors<Int, Int, _> {}
        var state = 1
        _ = interactor.interact(state: &state, action: 1)
        #expect(state == 1)
    }

    @Test("Combinators of Sendable interactors are Sendable (W25)")
    func combinatorsOfSendableInteractorsAreSendable() {
        requireSendable(Interactors.Merge(add("a"), add("b")))
        requireSendable(Interactors.MergeMany(interactors: [add("a")]))
        requireSendable(
            Interactors.Conditional<Interact<[String], Int>, EmptyInteractor<[String], Int>>.first(add("a"))
        )
        requireSendable(Interactors.CollectInteractors<[String], Int, _> { add("a") })
        requireSendable(Feature(interactor: add("a")))
    }

    /// The emissions of children stay visible in `interact`, including `none`.
    @Test("A merge has one entry for each child, also for none (contract 19)")
    func mergesKeepOneEntryPerChild() {
        var state: [String] = []
        let two = Interactors.Merge(add("a"), add("b")).interact(state: &state, action: 1)
        let many = Interactors.MergeMany(interactors: [add("c"), add("d"), add("e")]).interact(state: &state, action: 2)
        #expect(state == ["a1", "b1", "c2", "d2", "e2"])
        guard case .merge(let pair) = two.kind, case .merge(let triple) = many.kind else {
            Issue.record("expected merges, got \(two.kind) and \(many.kind)")
            return
        }
        #expect(pair.count == 2)
        #expect(triple.count == 3)
    }
}
