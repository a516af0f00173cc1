import LatticeCore
import Observation
import Testing

/// Tests which readers are notified of which change, with one table for states that are changed in place, replaced and
/// decoded.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct PropertyObservationTests {
    nonisolated static let start = Board(
        title: "title",
        detail: Detail(text: "a"),
        selected: Detail(text: "s"),
        rows: [Row(1, "one"), Row(2, "two")],
        steps: [Step("first"), Step("second")],
        names: ["a": Detail(text: "a")],
        list: [Row(1, "one"), Row(2, "two"), Row(3, "three")],
        table: ["a": Detail(text: "a"), "b": Detail(text: "b")],
        status: .loaded(Detail(text: "l"))
    )

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hear: [String]
        let apply: @Sendable (inout Board) -> Void

        init(_ name: String, hear: [String] = [], _ apply: @escaping @Sendable (inout Board) -> Void) {
            testDescription = name
            self.hear = hear.sorted()
            self.apply = apply
        }
    }

    nonisolated static let changes = [
        Change("nothing") { _ in },
        Change("a property", hear: ["title", "heading"]) { $0.title = "other" },
        Change("two properties", hear: ["title", "heading", "ratio"]) {
            $0.title = "other"
            $0.ratio = 1
        },
        Change("an equal value") { $0.title = "title" },
        Change("+= 0 (W34)") { $0.ratio += 0 },
        Change("+ in place (W34)", hear: ["ratio"]) { $0.ratio += 1 },
        Change("there and back") {
            $0.ratio = 5
            $0.ratio = 0
        },
        Change("a nested property", hear: ["detail.text"]) { $0.detail.text = "b" },
        Change("another nested state", hear: ["detail.text", "detail.count"]) {
            $0.detail = Detail(text: "b", count: 1)
        },
        Change("an equal nested state") { $0.detail = Detail(text: "a") },
        Change("inside an optional", hear: ["selected.text"]) { $0.selected?.text = "t" },
        Change("another state in an optional", hear: ["selected.text"]) { $0.selected = Detail(text: "t") },
        Change("to nil", hear: ["selected", "selected.text"]) { $0.selected = nil },
        Change("inside an element", hear: ["rows[0].name"]) { $0.rows[0].name = "uno" },
        Change("a replaced element", hear: ["rows[1].name"]) { $0.rows[1] = Row(2, "due") },
        Change("replaced elements with equal values") { $0.rows = [Row(1, "one"), Row(2, "two")] },
        Change("one more element", hear: ["rows", "rows[0].name", "rows[1].name"]) { $0.rows.append(Row(3)) },
        Change("elements in another order", hear: ["rows", "rows[0].name", "rows[1].name"]) { $0.rows.swapAt(0, 1) },
        Change("an element with another ID", hear: ["rows", "rows[0].name", "rows[1].name"]) {
            $0.rows[1] = Row(9, "two")
        },
        Change("no elements", hear: ["rows", "rows[0].name", "rows[1].name"]) { $0.rows = [] },
        Change("inside an element without ID", hear: ["steps[0].text"]) { $0.steps[0].text = "1st" },
        Change("replaced elements without ID", hear: ["steps[0].text"]) { $0.steps = [Step("1st"), Step("second")] },
        Change("inside a value of a dictionary", hear: ["names.a.text"]) { $0.names["a"]?.text = "b" },
        Change("another key", hear: ["names", "names.a.text"]) { $0.names["b"] = Detail() },
        Change("a key less", hear: ["names", "names.a.text"]) { $0.names["a"] = nil },
        Change("inside an element of a list", hear: ["list[id: 2].name"]) { $0.list[id: 2]?.name = "due" },
        Change("replaced elements of a list", hear: ["list[id: 1].name"]) {
            $0.list = [Row(1, "uno"), Row(2, "two"), Row(3, "three")]
        },
        Change("a moved element", hear: listReaders) { $0.list.move(id: 2, to: 0) },
        Change("one more element of a list", hear: listReaders) { $0.list.insert(Row(4), at: 1) },
        Change("one element less", hear: listReaders) { $0.list.remove(id: 3) },
        Change("there and back in a list") {
            $0.list.move(id: 2, to: 0)
            $0.list.move(id: 2, to: 1)
        },
        Change("inside a value of a state's dictionary", hear: ["table.b.text"]) { $0.table["b"]?.text = "c" },
        Change("another value of a state's dictionary", hear: ["table.b.text"]) { $0.table["b"] = Detail(text: "c") },
        Change("another key of a state's dictionary", hear: ["table", "table.b.text"]) { $0.table["c"] = Detail() },
        Change("one key less in a state's dictionary", hear: ["table", "table.b.text"]) { $0.table["a"] = nil },
        Change("inside the payload of a case", hear: ["status.loaded.text"]) { $0.status = .loaded(Detail(text: "m")) },
        Change("an equal payload") { $0.status = .loaded(Detail(text: "l")) },
        Change("another case (W33)", hear: ["status", "status.loaded.text"]) { $0.status = .idle },
        // `id` is a constant without observers of its own, so every reader is notified.
        Change("another constant", hear: Array(readerNames)) {
            $0 = Board(id: 7, title: "x", detail: Detail(text: "a"))
        },
    ]

    nonisolated static let listReaders = ["list", "list[id: 1].name", "list[id: 2].name"]

    nonisolated static let readerNames: Set = [
        "whole", "title", "heading", "ratio", "detail", "detail.text", "detail.count", "selected", "selected.text",
        "rows", "rows[0].name", "rows[1].name", "steps", "steps[0].text", "names", "names.a.text",
        "list", "list[id: 1].name", "list[id: 2].name", "table", "table.b.text", "status", "status.loaded.text",
    ]

    private func readers(_ viewModel: ViewModel<Shown<Board>>) -> [(name: String, read: () -> Void)] {
        [
            ("whole", { _ = viewModel.viewState }),
            ("title", { _ = viewModel.title }),
            ("heading", { _ = viewModel.heading }),
            ("ratio", { _ = viewModel.viewState.ratio }),
            ("detail", { _ = viewModel.detail }),
            ("detail.text", { _ = viewModel.detail.text }),
            ("detail.count", { _ = viewModel.viewState.detail.count }),
            ("selected", { _ = viewModel.selected }),
            ("selected.text", { _ = viewModel.selected?.text }),
            ("rows", { _ = viewModel.rows.count }),
            ("rows[0].name", { _ = viewModel.rows[0].name }),
            ("rows[1].name", { _ = viewModel.rows[1].name }),
            ("steps", { _ = viewModel.steps }),
            ("steps[0].text", { _ = viewModel.steps[0].text }),
            ("names", { _ = viewModel.names }),
            ("names.a.text", { _ = viewModel.names["a"]?.text }),
            ("list", { _ = viewModel.list.count }),
            ("list[id: 1].name", { _ = viewModel.list[id: 1]?.name }),
            ("list[id: 2].name", { _ = viewModel.list[id: 2]?.name }),
            ("table", { _ = viewModel.table }),
            ("table.b.text", { _ = viewModel.table["b"]?.text }),
            ("status", { _ = viewModel.status }),
            ("status.loaded.text", { _ = viewModel.status.loaded?.text }),
        ]
    }

    @Test("A change in place notifies the readers of changed properties (contract 47)", arguments: changes)
    func changeInPlace(_ change: Change) {
        let (viewModel, engine) = makeShown(Self.start)
        #expect(whoHears(readers(viewModel)) { engine.update(change.apply) } == change.hear)
    }

    @Test("A state from another process is compared property by property", arguments: changes)
    func decodedState(_ change: Change) throws {
        let (viewModel, engine) = makeShown(Self.start)
        var changed = Self.start
        change.apply(&changed)
        let decoded = changed.decodedCopy()
        #expect(whoHears(readers(viewModel)) { engine.update(keepsIdentity: true) { $0 = decoded } } == change.hear)
        #expect(viewModel.viewState == changed)
    }

    @Test("A state that a patch has changed is compared property by property", arguments: changes)
    func patchedState(_ change: Change) throws {
        let (viewModel, engine) = makeShown(Self.start)
        var changed = Self.start
        change.apply(&changed)
        let patch = try changed.patch(from: Self.start)
        let heard = whoHears(readers(viewModel)) {
            engine.update(keepsIdentity: true) { state in
                #expect(throws: Never.self) { if let patch { try state.apply(patch) } }
            }
        }
        #expect(heard == change.hear)
        #expect(viewModel.viewState == changed)
    }

    @Test(
        "A replaced state notifies observers of the whole, and readers of properties that differ (contract 47)",
        arguments: changes
    )
    func madeAnew(_ change: Change) {
        let (viewModel, engine) = makeShown(Self.start)
        var changed = Self.start.decodedCopy()
        change.apply(&changed)
        let before = viewModel.viewState._$id
        // These read parts of what `viewState` gave them, and so the whole as well.
        let ofTheWhole: Set = change.hear.isEmpty ? [] : ["whole", "ratio", "detail.count"]
        #expect(
            whoHears(readers(viewModel)) { engine.update { $0 = changed } }
                == Set(change.hear).union(ofTheWhole).sorted()
        )
        #expect(viewModel.viewState._$id != before)
        // The new state is shown now, so a later change in place does not notify observers of the whole.
        let first = Array(readers(viewModel).prefix(3))
        #expect(whoHears(first) { engine.update { $0.title = "last" } } == ["heading", "title"])
    }

    @Test("Readers are still notified after many states", arguments: changes)
    func changeAfterOthers(_ change: Change) {
        let (viewModel, engine) = makeShown(Board(title: "first"))
        engine.update { $0 = Self.start }
        engine.update { $0 = Self.start.decodedCopy() }
        engine.update { $0.detail.text = "between" }
        engine.update { $0.detail.text = "a" }
        #expect(whoHears(readers(viewModel)) { engine.update(change.apply) } == change.hear)
    }

    @Test func observersStillSeeTheOldState() {
        let (viewModel, engine) = makeShown(Self.start)
        let seen = Shared<[String]>([])
        withObservationTracking {
            _ = viewModel.title
        } onChange: {
            MainActor.assumeIsolated {
                let title = viewModel.title
                seen.update { $0.append(title) }
            }
        }
        engine.update { $0.title = "new" }
        #expect(seen.value == ["title"])
        #expect(viewModel.title == "new")
    }

    @Test("A copy of the state changes by itself (W34)")
    func detachedCopies() {
        let (viewModel, engine) = makeShown(Self.start)
        var copy = viewModel.viewState
        var detail = viewModel.detail
        let heard = whoHears(readers(viewModel)) {
            copy.title = "other"
            copy.detail.text = "other"
            copy.rows[0].name = "other"
            copy.rows.removeLast()
            detail.text = "other"
        }
        #expect(heard == [])
        #expect(viewModel.viewState == Self.start)
        #expect(whoHears(readers(viewModel)) { engine.update { $0.detail = detail } } == ["detail.text"])
    }

    @Test func readersOfACopyAreNotifiedOfTheOriginal() {
        let (viewModel, engine) = makeShown(Self.start)
        let row = viewModel.rows[1]
        let detail = viewModel.detail
        let readers: [(String, () -> Void)] = [("row", { _ = row.name }), ("detail", { _ = detail.text })]
        #expect(whoHears(readers) { engine.update { $0.rows[1].name = "due" } } == ["row"])
        // It has moved, and is another value; yet it is the same element.
        #expect(whoHears(readers) { engine.update { $0.rows = [Row(2, "zwei")] } } == ["row"])
        #expect(whoHears(readers) { engine.update { $0 = Board(detail: Detail(text: "z")) } } == ["detail"])
    }

    @Test func aHiddenStateIsAPlainValue() {
        var board = Self.start
        let heard = whoHears([("title", { _ = board.title })]) {
            board.title = "other"
        }
        #expect(heard == [])
        #expect(board.title == "other")
    }

    @Test func twoViewModelsDoNotShareObservers() {
        let (first, engine) = makeShown(Self.start)
        let (second, other) = makeShown(first.viewState)
        let readers: [(String, () -> Void)] = [("first", { _ = first.title }), ("second", { _ = second.title })]
        #expect(whoHears(readers) { engine.update { $0.title = "1" } } == ["first"])
        #expect(whoHears(readers) { other.update { $0.title = "2" } } == ["second"])
        #expect(whoHears(readers) { engine.update { $0 = second.viewState } } == ["first"])
        #expect(whoHears(readers) { other.update { $0.title = "3" } } == ["second"])
    }

    @Test func propertiesDoNotShareObservers() {
        let (viewModel, engine) = makeShown(Board())
        engine.update {
            $0.detail.text = "same"
            $0.selected = $0.detail
        }
        let readers: [(String, () -> Void)] = [
            ("detail", { _ = viewModel.detail.text }), ("selected", { _ = viewModel.selected?.text }),
        ]
        #expect(whoHears(readers) { engine.update { $0.selected?.text = "other" } } == ["selected"])
        #expect(whoHears(readers) { engine.update { $0.detail.text = "third" } } == ["detail"])
    }

    @Test func aCopiedElementGetsItsOwnObserversAndName() {
        let (viewModel, engine) = makeShown(Board(steps: [Step("a"), Step("b")]))
        engine.update { $0.steps.append($0.steps[0]) }
        #expect(Set(viewModel.steps.map(\._$id)).count == 3)
        let readers: [(String, () -> Void)] = [
            ("0", { _ = viewModel.steps[0].text }), ("2", { _ = viewModel.steps[2].text }),
        ]
        #expect(whoHears(readers) { engine.update { $0.steps[2].text = "c" } } == ["2"])
        #expect(whoHears(readers) { engine.update { $0.steps[0].text = "d" } } == ["0"])
    }

    @Test func elementsWithoutIDAreFollowedWhileTheyAreCopies() {
        let (viewModel, engine) = makeShown(Board(steps: [Step("a"), Step("b"), Step("c")]))
        let last = viewModel.steps[2]
        engine.update { $0.steps.removeFirst() }
        #expect(viewModel.steps.map(\.text) == ["b", "c"])
        #expect(viewModel.steps[1]._$id == last._$id)
        #expect(whoHears([("last", { _ = last.text })]) { engine.update { $0.steps[1].text = "z" } } == ["last"])
    }

    @Test func aNaNThatStaysHasNotChanged() {
        let (viewModel, engine) = makeShown(Board(ratio: .nan))
        #expect(whoHears([("ratio", { _ = viewModel.ratio })]) { engine.update { $0.ratio = .nan } } == [])
        #expect(whoHears([("ratio", { _ = viewModel.ratio })]) { engine.update { $0.ratio = 1 } } == ["ratio"])
    }

    @Test func namesBelongToPlaces() {
        let (viewModel, engine) = makeShown(Self.start)
        let name = viewModel.viewState._$id
        let nested = viewModel.detail._$id
        engine.update { $0.title = "other" }
        engine.update(keepsIdentity: true) { $0 = Board(title: "other") }
        #expect(viewModel.viewState._$id == name)
        #expect(viewModel.detail._$id == nested)
        let other = Board(title: "another")
        engine.update { $0 = other }
        #expect(viewModel.viewState._$id == other._$id)
        #expect(viewModel.detail._$id == nested)
        engine.update { $0 = Board(id: 5) }
        #expect(viewModel.viewState._$id != name)
    }
}

extension Board {
    /// Returns a copy as a decoder would create it: equal values without shared identity.
    func decodedCopy() -> Board {
        Board(
            id: id,
            title: String(title),
            ratio: ratio,
            detail: detail.decodedCopy(),
            selected: selected?.decodedCopy(),
            rows: rows.map { Row($0.id, $0.name) },
            steps: steps.map { Step($0.text) },
            names: names.mapValues { $0.decodedCopy() },
            list: StateList(list.map { Row($0.id, $0.name) }),
            table: StateDictionary(table.map { ($0, $1.decodedCopy()) }),
            status: status.loaded.map { .loaded($0.decodedCopy()) } ?? status
        )
    }
}

extension Detail {
    func decodedCopy() -> Detail { Detail(text: text, count: count) }
}
