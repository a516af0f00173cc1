import LatticeCore

/// The child of the tests of scoping: counts, and asks for effects.
struct Child: Equatable, Sendable, Identifiable {
    var id = 0
    var value = 0
    var log: [Int] = []
}

enum ChildAction: Equatable, Sendable {
    case increment
    /// Comes back as `echoed`, in the same turn.
    case echo(Int)
    case echoed(Int)
    /// An effect that ends with `echoed`.
    case load(Int)
    /// An effect that waits to be cancelled.
    case wait(Gate, Gate)
    /// An effect whose action asks for an effect that waits to be cancelled.
    case waitLater(Gate, Gate)
}

struct ChildInteractor: Interactor, Sendable {
    var body: some Interactor<Child, ChildAction> {
        Interact<Child, ChildAction> { state, action in
            switch action {
            case .increment:
                state.value += 1
                return .none
            case .echo(let number):
                return .action(.echoed(number))
            case .echoed(let number):
                state.log.append(number)
                return .none
            case .load(let number):
                return .perform { .echoed(number) }
            case .wait(let started, let cancelled):
                return .run { _ in
                    defer { cancelled.open() }
                    try await waitForCancellation(started: started)
                }
            case .waitLater(let started, let cancelled):
                return .perform { .wait(started, cancelled) }
            }
        }
    }
}

extension Gate: Equatable {
    static func == (lhs: Gate, rhs: Gate) -> Bool { lhs === rhs }
}

/// A parent that has a property, an optional and a list.
struct Root: Equatable, Sendable {
    var count = Child()
    var other = Child()
    var sheet: Child?
    var rows: [Child] = []
    var table: [String: Child] = [:]
    var notes: [String] = []

    /// A property that is computed, so that it has no place in memory.
    var computed: Child {
        get { count }
        set { count = newValue }
    }
}

enum RootAction: CasePathable, Equatable, Sendable {
    case count(ChildAction)
    case other(ChildAction)
    case sheet(ChildAction)
    case rows(IdentifiedAction<Int, ChildAction>)
    case table(IdentifiedAction<String, ChildAction>)
    case note(String)

    struct AllCasePaths {
        var count: AnyCasePath<RootAction, ChildAction> {
            AnyCasePath(embed: { .count($0) }, extract: { if case .count(let value) = $0 { value } else { nil } })
        }
        var other: AnyCasePath<RootAction, ChildAction> {
            AnyCasePath(embed: { .other($0) }, extract: { if case .other(let value) = $0 { value } else { nil } })
        }
        var sheet: AnyCasePath<RootAction, ChildAction> {
            AnyCasePath(embed: { .sheet($0) }, extract: { if case .sheet(let value) = $0 { value } else { nil } })
        }
        var rows: AnyCasePath<RootAction, IdentifiedAction<Int, ChildAction>> {
            AnyCasePath(embed: { .rows($0) }, extract: { if case .rows(let value) = $0 { value } else { nil } })
        }
        var table: AnyCasePath<RootAction, IdentifiedAction<String, ChildAction>> {
            AnyCasePath(embed: { .table($0) }, extract: { if case .table(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// A parent that is in one of several cases.
enum Phase: CasePathable, Equatable, Sendable {
    case idle
    case counting(Child)

    struct AllCasePaths {
        var counting: AnyCasePath<Phase, Child> {
            AnyCasePath(embed: { .counting($0) }, extract: { if case .counting(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

enum PhaseAction: CasePathable, Equatable, Sendable {
    case enter
    case leave
    case leaveAndEnter
    case counting(ChildAction)

    struct AllCasePaths {
        var counting: AnyCasePath<PhaseAction, ChildAction> {
            AnyCasePath(embed: { .counting($0) }, extract: { if case .counting(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// A runtime on the main actor.
@MainActor
func makeRuntime<I: Interactor>(_ state: I.DomainState, of interactor: I) -> FeatureRuntime<I.DomainState, I.Action>
where I.DomainState: Equatable {
    FeatureRuntime(
        initialState: state,
        interactor: interactor,
        isolation: MainActor.shared,
        areStatesEqual: { $0 == $1 }
    )
}
