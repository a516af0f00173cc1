import LatticeCore
import Observation
import Testing

/// A state whose one property has any type.
private struct Box<Value: Sendable>: ObservableState, Sendable {
    var _$observationRegistrar = ObservationStateRegistrar()
    private var _value: Value
    private var _other = 0

    init(_ value: Value) { _value = value }

    var value: Value {
        get {
            _$observationRegistrar.access(self, keyPath: \.value)
            return _value
        }
        set { _value = newValue }
        _modify { yield &_value }
    }

    var other: Int {
        get {
            _$observationRegistrar.access(self, keyPath: \.other)
            return _other
        }
        set { _other = newValue }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_value, over: shown._value) { changes.note(\.value, of: shown, _$observationRegistrar) }
        if !changes.settle(&_other, over: shown._other) { changes.note(\.other, of: shown, _$observationRegistrar) }
        return true
    }
}

/// A collection of another library, such as an identified array.
private struct Ring<Element: Sendable>: MutableCollection, RandomAccessCollection, Sendable {
    var elements: [Element]
    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    subscript(position: Int) -> Element {
        get { elements[position] }
        set { elements[position] = newValue }
    }
}

extension Ring: Equatable where Element: Equatable {}

private struct Holder: ObservableState, Sendable {
    var _$observationRegistrar = ObservationStateRegistrar()
    private var _ring: Ring<Row>

    init(_ rows: [Row]) { _ring = Ring(elements: rows) }

    var ring: Ring<Row> {
        get {
            _$observationRegistrar.access(self, keyPath: \.ring)
            return _ring
        }
        set { _ring = newValue }
        _modify { yield &_ring }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_ring, over: shown._ring) { changes.note(\.ring, of: shown, _$observationRegistrar) }
        return true
    }
}

/// Conforms as little as it can: it compares nothing.
private struct Bare: ObservableState, Sendable {
    var text = ""
    let _$id = ObservableStateID()
}

private struct Text: Sendable {
    var text: String
}

/// States of every shape: enums, generic ones, ones that cannot be compared.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ObservableShapesTests {
    private func makeModel<State: Sendable>(
        _ state: State
    ) -> (viewModel: ViewModel<Shown<State>>, engine: ManualEngine<State>) {
        let engine = ManualEngine<State>()
        return (ViewModel(viewState: state, engine: engine, areViewStatesEqual: { _, _ in false }), engine)
    }

    nonisolated private static let cases: [(from: Status, to: Status, hear: [String])] = [
        (.idle, .idle, []),
        (.idle, .busy(1), ["status", "text"]),
        (.busy(1), .busy(1), []),
        (.busy(1), .busy(2), ["status", "text"]),
        (.failed("a", code: 1), .failed("a", code: 1), []),
        (.failed("a", code: 1), .failed("b", code: 1), ["status", "text"]),
        (.failed("a", code: 1), .failed("a", code: 2), ["status", "text"]),
        (.loaded(Detail(text: "a")), .loaded(Detail(text: "a")), []),
        (.loaded(Detail(text: "a")), .loaded(Detail(text: "b")), ["text"]),
        (.loaded(Detail(text: "a")), .loaded(Detail(text: "a", count: 1)), []),
        (.loaded(Detail(text: "a")), .idle, ["status", "text"]),
        (.idle, .loaded(Detail()), ["status", "text"]),
    ]

    @Test("The readers of an enum view state are notified if the part that they read differs (W33)", arguments: cases)
    func enumAsViewState(from: Status, to: Status, hear: [String]) {
        let (viewModel, engine) = makeShown(from)
        let readers: [(String, () -> Void)] = [
            ("status", { _ = viewModel.viewState }), ("text", { _ = viewModel.viewState.loaded?.text }),
        ]
        #expect(whoHears(readers) { engine.update { $0 = to } } == hear)
        // And again with what is shown now, which has observers of its own.
        #expect(whoHears(readers) { engine.update { $0 = from } } == hear)
        #expect(whoHears(readers) { engine.update { _ in } } == [])
    }

    @Test("The names of cases are stable (W33)")
    func namesOfCases() {
        #expect(Status.idle._$id == Status.idle._$id)
        #expect(Status.busy(1)._$id == Status.busy(2)._$id)
        #expect(Set([Status.idle, .busy(1), .failed("", code: 1), .loaded(Detail())].map(\._$id)).count == 4)
        let detail = Detail()
        #expect(Status.loaded(detail)._$id == Status.loaded(detail)._$id)
        #expect(Status.loaded(detail)._$id != Status.loaded(Detail())._$id)
        #expect(Status.loaded(detail)._$id != detail._$id)
    }

    @Test func elementsThatAreEnums() {
        let (viewModel, engine) = makeModel(Box([Status.idle, .idle, .loaded(Detail(text: "a"))]))
        let readers: [(String, () -> Void)] = [
            ("value", { _ = viewModel.value }), ("text", { _ = viewModel.value.last?.loaded?.text }),
        ]
        #expect(whoHears(readers) { engine.update { $0.value[2] = .loaded(Detail(text: "b")) } } == ["text"])
        #expect(whoHears(readers) { engine.update { $0.value[0] = .busy(1) } } == ["text", "value"])
        #expect(whoHears(readers) { engine.update { $0.value = [.busy(1), .idle, .loaded(Detail(text: "b"))] } } == [])
    }

    @Test func incomparableValuesHaveChangedIfTheirBitsHave() {
        let (viewModel, engine) = makeModel(Box<@Sendable () -> Int>({ 1 }))
        let readers: [(String, () -> Void)] = [
            ("value", { _ = viewModel.value }), ("other", { _ = viewModel.other }),
        ]
        #expect(whoHears(readers) { engine.update { $0.other += 1 } } == ["other"])
        let two = 2
        #expect(whoHears(readers) { engine.update { $0.value = { two } } } == ["value"])
        #expect(viewModel.value() == 2)
    }

    @Test("Comparable values are compared, also in generic code")
    func comparedInGenericCode() {
        func check<Value: Sendable>(_ value: Value, _ equal: Value, _ other: Value, hear: [String] = ["value"]) {
            let (viewModel, engine) = makeModel(Box(value))
            let readers: [(String, () -> Void)] = [("value", { _ = viewModel.value })]
            #expect(whoHears(readers) { engine.update { $0.value = equal } } == [])
            #expect(whoHears(readers) { engine.update { $0.value = other } } == hear)
        }
        let long = "a text that is too long to be kept inline"
        check(long, String(long.shuffledAndBack), "other")
        check([1, 2], [1, 2].map(\.self), [1])
        check(1 as Int?, 1, nil)
        check(Text(text: "a"), Text(text: "a"), Text(text: "b"))
        check(Detail(text: "a"), Detail(text: "a"), Detail(text: "b"), hear: [])
        check([Detail(text: "a")], [Detail(text: "a")], [])
    }

    @Test func nestedStatesAreFoundInGenericCode() {
        let (viewModel, engine) = makeModel(Box([[Detail(text: "a")], []] as [[Detail]]?))
        let readers: [(String, () -> Void)] = [
            ("value", { _ = viewModel.value }), ("text", { _ = viewModel.value?.first?.first?.text }),
        ]
        #expect(whoHears(readers) { engine.update { $0.value?[0][0].text = "b" } } == ["text"])
        #expect(whoHears(readers) { engine.update { $0.value = [[Detail(text: "c")], []] } } == ["text"])
        #expect(whoHears(readers) { engine.update { $0.value?[1].append(Detail()) } } == ["text", "value"])
    }

    @Test func collectionsOfOthers() {
        let (viewModel, engine) = makeModel(Holder([Row(1, "a"), Row(2, "b")]))
        let readers: [(String, () -> Void)] = [
            ("ring", { _ = viewModel.ring.count }), ("name", { _ = viewModel.ring.last?.name }),
        ]
        #expect(whoHears(readers) { engine.update { $0.ring[1].name = "c" } } == ["name"])
        #expect(whoHears(readers) { engine.update { $0.ring.elements = [Row(1, "a"), Row(2, "d")] } } == ["name"])
        #expect(whoHears(readers) { engine.update { $0.ring.elements.removeFirst() } } == ["name", "ring"])
    }

    @Test func aStateThatComparesNothingIsObservedAsAWhole() {
        let (viewModel, engine) = makeModel(Bare())
        let readers: [(String, () -> Void)] = [("whole", { _ = viewModel.text })]
        #expect(whoHears(readers) { engine.update { $0.text = "a" } } == ["whole"])
        #expect(whoHears(readers) { engine.update { $0.text = "a" } } == [])
    }

    @Test func aReducerMayShowStatesThatCannotBeCompared() {
        struct Count: Equatable, Sendable { var value = 0 }
        let viewModel = ViewModel(
            initialDomainState: Count(),
            feature: Feature(
                interactor: Interact<Count, Int> { state, action in
                    state.value += action
                    return .none
                },
                reducer: BuildViewState<Count, Box<@Sendable () -> Int>>(initial: { _ in Box({ 0 }) }) { count, box in
                    box.other = count.value
                }
            )
        )
        let readers: [(String, () -> Void)] = [
            ("value", { _ = viewModel.value }), ("other", { _ = viewModel.other }),
        ]
        #expect(whoHears(readers) { viewModel.sendViewEvent(2) } == ["other"])
        #expect(whoHears(readers) { viewModel.sendViewEvent(0) } == [])
    }
}

extension String {
    /// Equal, and elsewhere in memory.
    fileprivate var shuffledAndBack: String { String(String(reversed()).reversed()) }
}
