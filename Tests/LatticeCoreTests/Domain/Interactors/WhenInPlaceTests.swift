import LatticeCore
import Testing

private struct Items: Equatable, Sendable {
    var numbers = Array(repeating: 0, count: 100_000)

    var address: UnsafeRawPointer? {
        numbers.withUnsafeBytes { $0.baseAddress }
    }
}

private struct Nested: Equatable, Sendable {
    var name = "nested"
    var items = Items()
}

private struct Box: Equatable, Sendable {
    var name = "name"
    var items = Items()
    var nested = Nested()
    var optional: Items? = Items()
    var rows: [BoxRow] = (0..<3).map { BoxRow(id: $0) }
    var table = ["a": Items(), "b": Items()]
    var phase = BoxPhase.items(Items())
    /// A property with an observer, which is no plain place in memory.
    var observed = Items() {
        didSet { changes += 1 }
    }
    var changes = 0
}

private struct BoxRow: Equatable, Sendable, Identifiable {
    let id: Int
    var items = Items()
}

private enum BoxPhase: CasePathable, Equatable, Sendable {
    case idle
    case items(Items)

    struct AllCasePaths {
        var items: AnyCasePath<BoxPhase, Items> {
            AnyCasePath(embed: { .items($0) }, extract: { if case .items(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private enum BoxPhaseAction: CasePathable, Sendable {
    case change(Int)

    struct AllCasePaths {
        var change: AnyCasePath<BoxPhaseAction, Int> {
            AnyCasePath(embed: { .change($0) }, extract: { if case .change(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private enum BoxAction: CasePathable, Sendable {
    case change(Int)
    case phase(BoxPhaseAction)
    case row(IdentifiedAction<Int, Int>)
    case table(IdentifiedAction<String, Int>)

    struct AllCasePaths {
        var change: AnyCasePath<BoxAction, Int> {
            AnyCasePath(embed: { .change($0) }, extract: { if case .change(let value) = $0 { value } else { nil } })
        }
        var phase: AnyCasePath<BoxAction, BoxPhaseAction> {
            AnyCasePath(embed: { .phase($0) }, extract: { if case .phase(let value) = $0 { value } else { nil } })
        }
        var row: AnyCasePath<BoxAction, IdentifiedAction<Int, Int>> {
            AnyCasePath(embed: { .row($0) }, extract: { if case .row(let value) = $0 { value } else { nil } })
        }
        var table: AnyCasePath<BoxAction, IdentifiedAction<String, Int>> {
            AnyCasePath(embed: { .table($0) }, extract: { if case .table(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// Adds to the first number, and says where the numbers are while it does.
private func change(_ addresses: Shared<[UInt]>) -> some Interactor<Items, Int> & Sendable {
    Interact<Items, Int> { state, action in
        let before = UInt(bitPattern: state.address)
        state.numbers[0] += action
        let after = UInt(bitPattern: state.address)
        addresses.update { $0 += [before, after] }
        return .none
    }
}

/// A large array in a child's state is changed where it is.
struct WhenInPlaceTests {
    private let addresses = Shared<[UInt]>([])

    private func check(
        _ interactor: some Interactor<Box, BoxAction>,
        _ action: BoxAction,
        _ items: (Box) -> Items?
    ) {
        var box = Box()
        let before = UInt(bitPattern: items(box)?.address)
        let resolved = interactor._resolve()
        for _ in 1...3 { _ = resolved.interact(state: &box, action: action) }
        #expect(items(box)?.numbers.first == 15)
        #expect(addresses.value == Array(repeating: before, count: 6))
    }

    @Test("The payload of a case is not copied (W24)")
    func payload() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().when(state: \.phase, action: \.phase) {
                WhenInteractor<BoxPhase, BoxPhaseAction, _>(state: \.items, action: \.change) { change(addresses) }
            },
            .phase(.change(5))
        ) { if case .items(let items) = $0.phase { items } else { nil } }
    }

    @Test func property() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().when(state: \.items, action: \.change) { change(addresses) },
            .change(5)
        ) { $0.items }
    }

    @Test func deepProperty() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().when(state: \.nested.items, action: \.change) { change(addresses) },
            .change(5)
        ) { $0.nested.items }
    }

    @Test func observersOfAPropertyAreCalled() {
        let addresses = addresses
        let interactor = EmptyInteractor<Box, BoxAction>().when(state: \.observed, action: \.change) {
            change(addresses)
        }
        var box = Box()
        _ = interactor._resolve().interact(state: &box, action: .change(5))
        #expect(box.observed.numbers[0] == 5)
        #expect(box.changes == 1)
    }

    @Test func optional() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().ifLet(state: \.optional, action: \.change) { change(addresses) },
            .change(5)
        ) { $0.optional }
    }

    @Test func element() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().forEach(state: \.rows, action: \.row) {
                Interact<BoxRow, Int> { state, action in change(addresses).interact(state: &state.items, action: action)
                }
            },
            .row(.element(id: 1, action: 5))
        ) { $0.rows[1].items }
    }

    @Test func dictionaryValue() {
        let addresses = addresses
        check(
            EmptyInteractor<Box, BoxAction>().forEach(state: \.table, action: \.table) { change(addresses) },
            .table(.element(id: "b", action: 5))
        ) { $0.table["b"] }
    }
}
