import Testing

@testable import LatticeCore

private struct ShapeState {}
private enum ShapeAction { case action }

/// Emits one action.
private struct Leaf: Interactor {
    var body: some Interactor<ShapeState, ShapeAction> {
        Interact { _, action in .action(action) }
    }
}

@available(iOS, introduced: 9999)
@available(macOS, introduced: 9999)
@available(tvOS, introduced: 9999)
@available(visionOS, introduced: 9999)
@available(watchOS, introduced: 9999)
private struct Unavailable: Interactor {
    var body: some Interactor<ShapeState, ShapeAction> {
        EmptyInteractor()
    }
}

private struct AllShapes: Interactor {
    let isOn: Bool

    var body: some InteractorOf<Leaf> {
        Leaf()
        if isOn { Leaf() }
        if isOn { Leaf() } else { EmptyInteractor<ShapeState, ShapeAction>() }
        for _ in 0..<3 { Leaf() }
        if #available(iOS 9999, macOS 9999, tvOS 9999, visionOS 9999, watchOS 9999, *) { Unavailable() }
        Leaf() as any InteractorOf<Leaf>
    }
}

/// Tests the statements that compile in a builder closure without explicit types.
struct InteractorBuilderShapesTests {
    /// Handles an action, so that what was composed is there.
    private func handle<I: Interactor<ShapeState, ShapeAction>>(_ interactor: I) -> Emission<ShapeAction> {
        var state = ShapeState()
        return interactor.interact(state: &state, action: .action)
    }

    @Test("A body can contain if without else, if and else, for, #available and any")
    func body() {
        #expect(handle(AllShapes(isOn: true)).flattenedCount == 7)
        #expect(handle(AllShapes(isOn: false)).flattenedCount == 5)
    }

    @Test("State and action types are inferred from the statements")
    func inference() {
        let limited = Interactors.CollectInteractors {
            Leaf()
            if #available(iOS 9999, macOS 9999, tvOS 9999, visionOS 9999, watchOS 9999, *) {
                Unavailable()
            }
            if #available(iOS 8888, macOS 8888, tvOS 8888, visionOS 8888, watchOS 8888, *) {
                EmptyInteractor<ShapeState, ShapeAction>()
            }
        }
        #expect(handle(limited).flattenedCount == 1)
        let existential = Interactors.CollectInteractors {
            Leaf()
            Leaf() as any InteractorOf<Leaf>
        }
        #expect(handle(existential).flattenedCount == 2)
    }

    @Test("The builder's methods have fixed names and result types")
    func methods() {
        typealias Builder = InteractorBuilder<ShapeState, ShapeAction>
        let leaf = Leaf()
        let _: EmptyInteractor<ShapeState, ShapeAction> = Builder.buildBlock()
        let _: Leaf = Builder.buildBlock(leaf)
        let _: Interactors.MergeMany<Leaf> = Builder.buildBlock(leaf, leaf)
        let _: Interactors.MergeMany<Leaf> = Builder.buildArray([leaf])
        let _: Interactors.Conditional<Leaf, Leaf> = Builder.buildEither(first: leaf)
        let _: Interactors.Conditional<Leaf, Leaf> = Builder.buildEither(second: leaf)
        let _: Leaf = Builder.buildExpression(leaf)
        let _: Leaf = Builder.buildFinalResult(leaf)
        let _: Leaf = Builder.buildPartialBlock(first: leaf)
        let _: Interactors.Merge<Leaf, Leaf> = Builder.buildPartialBlock(accumulated: leaf, next: leaf)
        let _: AnyInteractor<ShapeState, ShapeAction> = Builder.buildLimitedAvailability(
            EmptyInteractor<ShapeState, ShapeAction>()
        )
    }
}

extension Emission {
    /// Everything that it asks for, merges taken apart.
    fileprivate var flattenedCount: Int {
        switch kind {
        case .none: 0
        case .merge(let children): children.map(\.flattenedCount).reduce(0, +)
        default: 1
        }
    }
}
