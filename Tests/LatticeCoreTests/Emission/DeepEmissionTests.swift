import Testing

@testable import LatticeCore

/// Emissions that are nested deeper than any stack has room for recursion.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DeepEmissionTests {
    fileprivate enum Action: Sendable, Equatable {
        case emit(Shape, Int)
        case done(Int)
    }

    fileprivate enum ParentAction: CasePathable, Sendable {
        case child(Action)

        struct AllCasePaths {
            var child: AnyCasePath<ParentAction, Action> {
                AnyCasePath(embed: { .child($0) }, extract: { if case .child(let value) = $0 { value } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    private struct Parent: Equatable, Sendable {
        var child = Counts()
    }

    private struct Counts: Equatable, Sendable {
        var done = 0
        var sum = 0
    }

    /// The way in which an emission is wrapped in another.
    enum Shape: Sendable, CaseIterable {
        case merged, mergedBefore, appended, cancellable, alternating

        /// Wraps an emission in another operator.
        fileprivate func wrap(_ emission: Emission<Action>, _ number: Int) -> Emission<Action> {
            let other: Emission<Action> = number.isMultiple(of: 100) ? .perform { .done(1) } : .action(.done(1))
            return switch self {
            case .merged: emission.merging(with: other)
            case .mergedBefore: other.merging(with: emission)
            case .appended: .append(other, .merge(emission))
            // An effect belongs to all that are around it, so there are few.
            case .cancellable: emission.cancellable(id: number % 7)
            case .alternating:
                switch number % 3 {
                case 0: emission.merging(with: other)
                case 1: .append([.merge(emission), other])
                default: emission.cancellable(id: "all")
                }
            }
        }

        fileprivate func nested(_ depth: Int) -> Emission<Action> {
            (1...depth).reduce(.perform { .done(1) }) { wrap($0, $1) }
        }
    }

    private static let child = Interact<Counts, Action> { state, action in
        switch action {
        case .emit(let shape, let depth): return shape.nested(depth)
        case .done(let number):
            state.done += 1
            state.sum += number
            return .none
        }
    }

    @Test("Emissions nested 20,000 deep are mapped, changed and released (F101)", arguments: Shape.allCases)
    func deepEmissionsAreGoneThrough(shape: Shape) {
        let emission = shape.nested(20_000)
        #expect(emission.hasEffects)
        #expect(emission.depth > 1_000)
        let mapped = emission.map { ParentAction.child($0) }.map { $0 }.on(.computing).named(
            "deep",
            whenInterrupted: .fail
        )
        #expect(mapped.hasEffects)
        #expect(mapped.depth == emission.depth)
        // Two that share all but the outermost: the last that goes takes the rest along.
        let (one, two) = (mapped.merging(with: .none), mapped.cancellable(id: 1))
        #expect(one.depth == two.depth)
    }

    @Test("A child of `when` runs all of 5,000 nested emissions (F101)", arguments: Shape.allCases)
    func deepEmissionsOfAChildRun(shape: Shape) async {
        let depth = shape == .cancellable || shape == .alternating ? 500 : 5_000
        let runtime = FeatureRuntime(
            initialState: Parent(),
            interactor: EmptyInteractor<Parent, ParentAction>().when(state: \.child, action: \.child) { Self.child },
            isolation: MainActor.shared
        )
        #expect(await runtime.send(.child(.emit(shape, depth))).finish() == .finished)
        let expected =
            switch shape {
            case .merged, .mergedBefore, .appended: depth + 1
            case .cancellable: 1
            case .alternating: 1 + (1...depth).count { $0 % 3 != 2 }
            }
        #expect(runtime.state.child.done == expected)
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test("An effect that was mapped 20,000 times runs, or is released without running (F101)")
    func manyMapsRun() async {
        @Sendable nonisolated func mapped(_ emission: Emission<Int>) -> Emission<Int> {
            (1...20_000).reduce(emission) { emission, _ in emission.map { $0 + 1 } }
        }
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            switch action {
            case 0: return mapped(.perform { 1 })
            case 1: return mapped(.run { send in await send(1) })
            default:
                state += action
                return .none
            }
        }
        for action in 0...1 { #expect(await runtime.send(action).finish() == .finished) }
        #expect(runtime.state == 2 * 20_001)
        _ = mapped(.perform { 1 })
        _ = mapped(.run { _ in })
        _ = mapped(.observe { AsyncStream { nil } })
    }

    @Test("A merge of 100,000 emissions runs, and so does an append of 100,000 steps (F101)")
    func wideEmissionsRun() async {
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            switch action {
            case 0: return .merge((1...100_000).map { .action($0) })
            case -1: return .append((1...100_000).map { .action($0) })
            default:
                state += 1
                return .none
            }
        }
        #expect(await runtime.send(0).finish() == .finished)
        #expect(await runtime.send(-1).finish() == .finished)
        #expect(runtime.state == 200_000)
    }

    @Test("An effect inside 20,000 `cancellable`s ends when one is cancelled, and all are released (F101)")
    func deepGroupsAreReleased() async {
        let started = Gate()
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            guard action == 0 else { return .cancel(id: 19_999) }
            let work = Emission<Int>.run { _ in try await waitForCancellation(started: started) }
            return (1...20_000).reduce(work) { $0.cancellable(id: $1) }
        }
        let task = runtime.send(0)
        await started.wait()
        runtime.send(1)
        #expect(await task.finish() == .cancelled)
        #expect(runtime.turn.groups.isEmpty)
    }
}
