import LatticeTesting
import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ForEachTests {
    private let started = Gate()
    private let cancelled = Gate()

    /// Notes take rows away and bring them: "-1", "+1", "!" replaces all of them.
    private static let editor = Interact<Root, RootAction> { state, action in
        guard case .note(let note) = action, let id = Int(note.dropFirst()) else { return .none }
        state.rows.removeAll { $0.id == id }
        state.table["\(id)"] = nil
        if note.hasPrefix("+") {
            state.rows.insert(Child(id: id), at: 0)
            state.table["\(id)"] = Child()
        }
        return .none
    }

    private func makeRuntime(
        endsEffects: Bool = true,
        _ child: @Sendable () -> some Interactor<Child, ChildAction> & Sendable = { ChildInteractor() }
    ) -> FeatureRuntime<Root, RootAction> {
        LatticeCoreTests.makeRuntime(
            Root(rows: (1...3).map { Child(id: $0) }, table: ["1": Child(), "2": Child()]),
            of: Self.editor
                .forEach(state: \.rows, action: \.rows, endsEffects: endsEffects, element: child)
                .forEach(state: \.table, action: \.table, endsEffects: endsEffects, element: child)
        )
    }

    private func row(_ id: Int, _ action: ChildAction) -> RootAction {
        .rows(.element(id: id, action: action))
    }

    @Test("An element's action changes that element (W40)")
    func elements() async {
        let runtime = makeRuntime()
        runtime.send(row(2, .increment))
        runtime.send(row(2, .increment))
        runtime.send(row(3, .increment))
        runtime.send(row(9, .increment))
        runtime.send(.table(.element(id: "2", action: .increment)))
        runtime.send(.table(.element(id: "9", action: .increment)))
        #expect(runtime.state.rows.map(\.value) == [0, 2, 1])
        #expect(runtime.state.table.mapValues(\.value) == ["1": 0, "2": 1])
        runtime.send(row(1, .echo(7)))
        #expect(await runtime.send(row(1, .load(8))).finish() == .finished)
        #expect(await runtime.send(.table(.element(id: "1", action: .load(9)))).finish() == .finished)
        #expect(runtime.state.rows[0].log == [7, 8])
        #expect(runtime.state.table["1"]?.log == [9])
    }

    @Test("Elements of a StateList and a StateDictionary are found by their IDs, and their effects end with them")
    func stateCollections() async {
        struct Shelf: Equatable, Sendable {
            var list: StateList<Child> = StateList((1...3).map { Child(id: $0) })
            var table: StateDictionary<String, Child> = ["1": Child()]
        }
        let runtime = LatticeCoreTests.makeRuntime(
            Shelf(),
            of: Interact<Shelf, RootAction> { state, action in
                if case .note = action { state.list.remove(id: 2) }
                return .none
            }
            .forEach(state: \.list, action: \.rows) { ChildInteractor() }
            .forEach(state: \.table, action: \.table) { ChildInteractor() }
        )
        runtime.send(row(2, .increment))
        runtime.send(row(9, .increment))
        runtime.send(.table(.element(id: "1", action: .increment)))
        runtime.send(.table(.element(id: "9", action: .increment)))
        #expect(runtime.state.list.map(\.value) == [0, 1, 0])
        #expect(runtime.state.table["1"]?.value == 1)
        #expect(await runtime.send(row(1, .load(8))).finish() == .finished)
        #expect(runtime.state.list[id: 1]?.log == [8])
        runtime.send(.note("away"))
        #expect(runtime.state.list.map(\.id) == [1, 3])
    }

    @Test func elementsAreFoundWhereTheyHaveMoved() {
        let runtime = makeRuntime()
        for id in 1...3 { runtime.send(row(id, .increment)) }
        runtime.send(.note("+7"))
        runtime.send(.note("-2"))
        for id in [3, 1, 7] { runtime.send(row(id, .increment)) }
        #expect(runtime.state.rows.map(\.id) == [7, 1, 3])
        #expect(runtime.state.rows.map(\.value) == [1, 2, 2])
    }

    @Test(
        "The effects of an element end when it is removed (W40)",
        arguments: [
            .rows(.element(id: 2, action: .increment)), .table(.element(id: "2", action: .increment)),
        ] as [RootAction]
    )
    func removal(target: RootAction) async {
        let runtime = makeRuntime()
        let others = [Gate(), Gate()]
        let task: EventTask
        let other: EventTask
        if case .rows = target {
            task = runtime.send(row(2, .waitLater(started, cancelled)))
            other = runtime.send(row(1, .wait(others[0], others[1])))
        } else {
            task = runtime.send(.table(.element(id: "2", action: .waitLater(started, cancelled))))
            other = runtime.send(.table(.element(id: "1", action: .wait(others[0], others[1]))))
        }
        await started.wait()
        await others[0].wait()
        #expect(runtime.turn.groups.scopeCount == 2)
        runtime.send(.note("-2"))
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
        #expect(other.outcome == nil)
        #expect(runtime.turn.groups.scopeCount == 1)
        other.cancel()
        #expect(await other.finish() == .cancelled)
    }

    @Test func elementsThatComeBackAreNew() async {
        let runtime = makeRuntime()
        let task = runtime.send(row(2, .wait(started, cancelled)))
        await started.wait()
        // Goes and comes in one action: nothing to see. Goes and comes in two: it is another one.
        runtime.send(.note("+2"))
        #expect(task.outcome == nil)
        runtime.send(.note("-2"))
        runtime.send(.note("+2"))
        #expect(await task.finish() == .cancelled)
        #expect(await runtime.send(row(2, .load(7))).finish() == .finished)
        #expect(runtime.state.rows.first { $0.id == 2 }?.log == [7])
    }

    @Test func effectsContinueOnRequest() async {
        let runtime = makeRuntime(endsEffects: false)
        let task = runtime.send(row(2, .wait(started, cancelled)))
        await started.wait()
        runtime.send(.note("-2"))
        #expect(task.outcome == nil)
        #expect(runtime.turn.groups.isEmpty)
        task.cancel()
        #expect(await task.finish() == .cancelled)
    }

    @Test("A debounce inside an element debounces only that element (W1)")
    func identity() async {
        let clock = TestClock()
        let runtime = makeRuntime {
            DebounceInteractor(for: .seconds(1), clock: clock) { ChildInteractor() }
        }
        var tasks: [EventTask] = []
        for number in 1...3 {
            for id in 1...2 { tasks.append(runtime.send(row(id, .load(10 * id + number)))) }
        }
        await clock.advance(by: .seconds(1))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state.rows.map(\.log) == [[13], [23], []])
    }

    @Test func anElementsInteractorIsMadeOnceAndGoesWithIt() {
        let bodies = Shared(0)
        let runtime = makeRuntime { Bodied(bodies: bodies) }
        for _ in 1...3 {
            for id in 1...3 { runtime.send(row(id, .increment)) }
        }
        #expect(bodies.value == 3)
        runtime.send(.note("-1"))
        runtime.send(.note("+1"))
        runtime.send(row(1, .increment))
        runtime.send(row(2, .increment))
        #expect(bodies.value == 4)
    }

    @Test func interactorsOfElementsThatAreGoneAreNotKept() {
        let trees = ElementTrees<Root, Int, Child, ChildAction>(ElementsPath(\.rows), endsEffects: true) {
            ChildInteractor()._resolve()
        }
        var parent = Root()
        for id in 0..<1000 {
            parent.rows = [Child(id: id), Child(id: -1)]
            trees.prune(parent)
            _ = trees.interact(&parent, id, .increment)
            _ = trees.interact(&parent, -1, .increment)
            #expect(trees.count <= 3)
        }
        parent.rows = []
        trees.prune(parent)
        #expect(trees.count == 0)
    }

    @Test func aMissingElementIsReportedIfAskedFor() {
        let silent = Interactors.ForEach<Root, RootAction, Int, _>(state: \.rows, action: \.rows) {
            ChildInteractor()
        }
        let reporting = Interactors.ForEach<Root, RootAction, Int, _>(
            state: \.rows,
            action: \.rows,
            reportsMissing: true
        ) {
            ChildInteractor()
        }
        var state = Root(rows: [Child(id: 1)])
        #expect(silent.interact(state: &state, action: row(2, .increment)).isNone)
        #expect(reporting.interact(state: &state, action: row(1, .increment)).isNone)
        #expect(state.rows == [Child(id: 1, value: 1)])
        withKnownIssue {
            _ = reporting.interact(state: &state, action: row(2, .increment))
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains(
                    """
                    The collection does not contain its element. \
                    Send it only while the element exists, or omit reportsMissing if the action may arrive late.
                    """
                )
            }
        }
    }

    @Test func manyElementsAreFoundWithoutLookingThroughAllOfThem() {
        final class Counted: Sendable {
            let reads = Shared(0)
        }
        struct Element: Identifiable, Sendable {
            let number: Int
            let counted: Counted
            var id: Int {
                counted.reads.increment()
                return number
            }
        }
        let counted = Counted()
        let elements = (0..<1000).map { Element(number: $0, counted: counted) }
        let positions = ElementPositions<[Element]>()
        for number in 0..<1000 { #expect(positions.find(number, in: elements) == number) }
        #expect(counted.reads.value < 10_000)
    }
}

private struct Bodied: Interactor, Sendable {
    let bodies: Shared<Int>

    var body: some Interactor<Child, ChildAction> {
        let child = make()
        child
    }

    private func make() -> ChildInteractor {
        bodies.increment()
        return ChildInteractor()
    }
}
