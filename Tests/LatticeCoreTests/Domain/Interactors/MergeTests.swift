import LatticeCore
import Testing

/// Puts a multiple of the action where another one was, and keeps what it saw.
private struct Multiply: Interactor, Sendable {
    let factor: Int
    var emits = false

    func interact(state: inout [Int], action: Int) -> Emission<Int> {
        state.append((state.last ?? 0) * 10 + action * factor)
        return emits ? .action(factor) : .none
    }
}

@MainActor
struct MergeTests {
    @Test("Children run in order on one state, and each sees the changes of earlier ones (contract 18)")
    func order() {
        var state: [Int] = []
        _ = Interactors.Merge(Multiply(factor: 3), Multiply(factor: 2)).interact(state: &state, action: 1)
        #expect(state == [3, 32])
        state = []
        let many = Interactors.MergeMany(interactors: (1...3).map { Multiply(factor: $0) })
        _ = many.interact(state: &state, action: 1)
        #expect(state == [1, 12, 123])
    }

    @Test("Children also run in order in a runtime (contract 18)")
    func orderInARuntime() {
        let runtime = makeRuntime([], of: Interactors.Merge(Multiply(factor: 3), Multiply(factor: 2)))
        runtime.send(1)
        #expect(runtime.state == [3, 32])
        let many = makeRuntime([], of: Interactors.MergeMany(interactors: (1...3).map { Multiply(factor: $0) }))
        many.send(1)
        #expect(many.state == [1, 12, 123])
    }

    @Test("The emission has one entry for each child (contract 19)", arguments: [false, true])
    func emissions(emit: Bool) {
        var state: [Int] = []
        let children = (1...3).map { Multiply(factor: $0, emits: emit && $0 != 2) }
        let two = Interactors.Merge(children[0], children[1]).interact(state: &state, action: 1)
        let many = Interactors.MergeMany(interactors: children).interact(state: &state, action: 1)
        #expect(two.shape == (emit ? "merge(1 none)" : "merge(none none)"))
        #expect(many.shape == (emit ? "merge(1 none 3)" : "merge(none none none)"))
    }
}
