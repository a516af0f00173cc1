import LatticeTesting
import Testing

@testable import LatticeCore

/// An element that others replace one for one, so that their number never changes, and that comes back.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ReturningElementsTests {
    struct Item: Identifiable, Equatable, Sendable {
        let id: Int
        var notes: [Item] = []
        var log: [String] = []

        init(_ id: Int, notes: [Item] = []) {
            self.id = id
            self.notes = notes
        }
    }

    enum ItemAction: Sendable, CasePathable {
        case report(String)
        case said(String)
        indirect case notes(IdentifiedAction<Int, ItemAction>)

        struct AllCasePaths: Sendable {
            var notes: AnyCasePath<ItemAction, IdentifiedAction<Int, ItemAction>> {
                AnyCasePath(embed: { .notes($0) }, extract: { if case .notes(let value) = $0 { value } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    struct Desk: Equatable, Sendable {
        var items = [Item(1), Item(2)]
        var table = [1: Item(1), 2: Item(2)]
        var list = StateList([Item(1), Item(2)])
        var drawer: [Item]? = [Item(1), Item(2)]
    }

    enum DeskAction: Sendable, CasePathable {
        /// Puts the second element in the place of the first.
        case replace(Int, by: Int)
        case items(IdentifiedAction<Int, ItemAction>)
        case table(IdentifiedAction<Int, ItemAction>)
        case list(IdentifiedAction<Int, ItemAction>)

        typealias Path = AnyCasePath<DeskAction, IdentifiedAction<Int, ItemAction>>

        struct AllCasePaths: Sendable {
            var items: Path {
                Path(embed: { .items($0) }, extract: { if case .items(let value) = $0 { value } else { nil } })
            }
            var table: Path {
                Path(embed: { .table($0) }, extract: { if case .table(let value) = $0 { value } else { nil } })
            }
            var list: Path {
                Path(embed: { .list($0) }, extract: { if case .list(let value) = $0 { value } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }

        func at(_ id: Int, _ action: ItemAction) -> DeskAction {
            switch self {
            case .table: .table(.element(id: id, action: action))
            case .list: .list(.element(id: id, action: action))
            default: .items(.element(id: id, action: action))
            }
        }
    }

    /// Says what it is asked to by an effect.
    nonisolated static let reporter = Interact<Item, ItemAction> { item, action in
        switch action {
        case .report(let text): return .perform { .said(text) }
        case .said(let text): item.log.append(text)
        case .notes: break
        }
        return .none
    }

    private static let desk = Interact<Desk, DeskAction> { state, action in
        guard case .replace(let old, let new) = action else { return .none }
        for index in state.items.indices where state.items[index].id == old { state.items[index] = Item(new) }
        if state.table.removeValue(forKey: old) != nil { state.table[new] = Item(new) }
        if let index = state.list.index(id: old) {
            state.list.remove(id: old)
            state.list.insert(Item(new), at: index)
        }
        return .none
    }

    private func makeRuntime(
        endsEffects: Bool = true,
        _ element: @Sendable () -> some Interactor<Item, ItemAction> & Sendable
    ) -> FeatureRuntime<Desk, DeskAction> {
        LatticeCoreTests.makeRuntime(
            Desk(),
            of: Self.desk
                .forEach(state: \.items, action: \.items, endsEffects: endsEffects, element: element)
                .forEach(state: \.table, action: \.table, endsEffects: endsEffects, element: element)
                .forEach(state: \.list, action: \.list, endsEffects: endsEffects, element: element)
        )
    }

    private static func logs(_ desk: Desk, like target: DeskAction) -> [String]? {
        switch target {
        case .table: desk.table[1]?.log
        case .list: desk.list[id: 1]?.log
        default: desk.items.first { $0.id == 1 }?.log
        }
    }

    private nonisolated static let targets: [DeskAction] = [
        .items(.element(id: 0, action: .report(""))), .table(.element(id: 0, action: .report(""))),
        .list(.element(id: 0, action: .report(""))),
    ]

    @Test("An element that comes back under its old ID has a new throttle (F102)", arguments: targets, [true, false])
    func aThrottleGoesWithItsElement(target: DeskAction, endsEffects: Bool) async {
        let clock = TestClock()
        let runtime = makeRuntime(endsEffects: endsEffects) {
            Interactors.Throttle(for: .seconds(60), clock: clock, edges: .leading) { Self.reporter }
        }
        #expect(await runtime.send(target.at(1, .report("first"))).finish() == .finished)
        #expect(await runtime.send(target.at(1, .report("skipped"))).finish() == .finished)
        runtime.send(.replace(1, by: 3))
        runtime.send(.replace(3, by: 1))
        #expect(await runtime.send(target.at(1, .report("new"))).finish() == .finished)
        #expect(Self.logs(runtime.state, like: target) == ["new"])
        #expect(await runtime.send(target.at(1, .report("skipped"))).finish() == .finished)
        #expect(Self.logs(runtime.state, like: target) == ["new"])
    }

    @Test("An element that stays keeps its throttle, whatever happens to others (F102)")
    func whatStaysKeepsItsThrottle() async {
        let clock = TestClock()
        let runtime = makeRuntime {
            Interactors.Throttle(for: .seconds(60), clock: clock, edges: .leading) { Self.reporter }
        }
        let target = Self.targets[0]
        #expect(await runtime.send(target.at(1, .report("first"))).finish() == .finished)
        runtime.send(.replace(2, by: 3))
        runtime.send(.replace(3, by: 2))
        #expect(await runtime.send(target.at(1, .report("skipped"))).finish() == .finished)
        #expect(Self.logs(runtime.state, like: target) == ["first"])
        await clock.advance(by: .seconds(61))
        #expect(await runtime.send(target.at(1, .report("second"))).finish() == .finished)
        #expect(Self.logs(runtime.state, like: target) == ["first", "second"])
    }

    private struct WithBody: Interactor, Sendable {
        let clock: TestClock

        var body: some Interactor<Item, ItemAction> {
            Interactors.Throttle(for: .seconds(60), clock: clock, edges: .leading) { ReturningElementsTests.reporter }
        }
    }

    /// Counts the actions that it has handled.
    private final class Counting: Interactor, @unchecked Sendable {
        // Unchecked: only used by its runtime, on the main actor.
        private var count = 0

        func interact(state: inout Item, action: ItemAction) -> Emission<ItemAction> {
            count += 1
            state.log = ["\(count)"]
            return .none
        }
    }

    private struct WithObject: Interactor, Sendable {
        var body: some Interactor<Item, ItemAction> { Counting() }
    }

    /// Counts in a body of its own.
    private final class CountingWithBody: Interactor, @unchecked Sendable {
        // Unchecked: only used by its runtime, on the main actor.
        private var count = 0

        var body: some Interactor<Item, ItemAction> {
            Interact<Item, ItemAction> { [self] state, _ in
                count += 1
                state.log = ["\(count)"]
                return .none
            }
        }
    }

    private struct WithObjectThatHasABody: Interactor, Sendable {
        var body: some Interactor<Item, ItemAction> { CountingWithBody() }
    }

    @Test("State that an element's body keeps, such as a throttle or an object, ends with the element (F102)")
    func aBodyGoesWithItsElement() async {
        let target = Self.targets[0]
        let clock = TestClock()
        let throttled = makeRuntime { WithBody(clock: clock) }
        #expect(await throttled.send(target.at(1, .report("first"))).finish() == .finished)
        throttled.send(.replace(1, by: 3))
        throttled.send(.replace(3, by: 1))
        #expect(await throttled.send(target.at(1, .report("new"))).finish() == .finished)
        #expect(Self.logs(throttled.state, like: target) == ["new"])

        for counting in [makeRuntime { WithObject() }, makeRuntime { WithObjectThatHasABody() }] {
            for _ in 0..<3 { counting.send(target.at(1, .said(""))) }
            #expect(Self.logs(counting.state, like: target) == ["3"])
            counting.send(.replace(1, by: 3))
            counting.send(.replace(3, by: 1))
            counting.send(target.at(1, .said("")))
            #expect(Self.logs(counting.state, like: target) == ["1"])
        }
    }

    /// Notes how often it is asked what it keeps.
    private struct Asked: Interactor, Sendable {
        let times: Shared<Int>

        func interact(state: inout Int, action: Int) -> Emission<Int> { .none }

        func _resolve() -> _ResolvedInteractor<Int, Int> {
            let retains: _ResolvedInteractor<Int, Int>.RetentionCheck = { [times] _ in
                times.increment()
                return false
            }
            return _ResolvedInteractor(sweep: nil, retains: retains) { _, _ in .none }
        }
    }

    @Test("Turns do not look for new stateful elements unless one has begun")
    func turnsDoNotAskInVain() {
        let asked = Asked(times: Shared(0))
        let runtime = LatticeCoreTests.makeRuntime(0, of: asked)
        for number in 0..<1_000 { runtime.send(number) }
        // Elements of other tests begin meanwhile.
        #expect(asked.times.value < 500)
    }

    @Test("Nested elements, and elements that a parent replaces, are new when they come back (F102)")
    func nestedElements() async {
        struct Room: Equatable, Sendable {
            var desk = Desk(items: [Item(1, notes: [Item(1), Item(2)])])
        }
        let clock = TestClock()
        let inner = Self.desk.forEach(state: \.items, action: \.items) {
            Self.reporter.forEach(state: \.notes, action: \.notes) {
                Interactors.Throttle(for: .seconds(60), clock: clock, edges: .leading) { Self.reporter }
            }
        }
        // The parent changes the elements without their interactor being asked.
        let runtime = LatticeCoreTests.makeRuntime(
            Room(),
            of: Interact<Room, RoomAction> { state, action in
                if case .setNote(let old, let new) = action {
                    for index in state.desk.items[0].notes.indices where state.desk.items[0].notes[index].id == old {
                        state.desk.items[0].notes[index] = Item(new)
                    }
                }
                return .none
            }
            .when(state: \.desk, action: \.desk) { inner }
        )
        func report(_ text: String) async -> [String]? {
            let action = ItemAction.notes(.element(id: 1, action: .report(text)))
            #expect(await runtime.send(.desk(.items(.element(id: 1, action: action)))).finish() == .finished)
            return runtime.state.desk.items[0].notes.first { $0.id == 1 }?.log
        }
        #expect(await report("first") == ["first"])
        #expect(await report("skipped") == ["first"])
        runtime.send(.setNote(1, 3))
        runtime.send(.setNote(3, 1))
        #expect(await report("new") == ["new"])
    }

    enum RoomAction: Sendable, CasePathable {
        case setNote(Int, Int)
        case desk(DeskAction)

        struct AllCasePaths: Sendable {
            var desk: AnyCasePath<RoomAction, DeskAction> {
                AnyCasePath(embed: { .desk($0) }, extract: { if case .desk(let value) = $0 { value } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }
}
