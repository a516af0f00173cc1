import Testing

struct InteractorMacroTests {
    @Test("The macro expands to the expected text (contract 39)")
    func typesBuilderAndConformance() {
        expectExpansion(
            of: """
                @Interactor<CounterState, CounterAction>
                struct Counter: Sendable {
                    let limit: Int
                    var body: some InteractorOf<Self> {
                        Interact { state, action in
                            return .none
                        }
                    }
                }
                """,
            to: """
                struct Counter: Sendable {
                    let limit: Int
                    @Lattice.InteractorBuilder<DomainState, Action>
                    var body: some InteractorOf<Self> {
                        Interact { state, action in
                            return .none
                        }
                    }

                    typealias DomainState = CounterState

                    typealias Action = CounterAction
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Arguments can have any spelling, beside other attributes (W27, W28)",
        arguments: [
            ("Int?", "[T]"), ("A.State", "A.B.Action<Int>"), ("(Int, String)", "[String: Int]"),
            ("@Sendable (Int) async throws -> Void", "any P & Q"), ("Swift.Int", "Result<Int, any Error>"),
            ("()", "Any"),
        ]
    )
    func argumentSpellings(state: String, action: String) {
        for attribute in ["@MainActor @Interactor", "@Interactor"] {
            expectExpansion(
                of: """
                    \(attribute)<\(state), \(action)>
                    struct Counter {
                        nonisolated func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }
                    }
                    """,
                to: """
                    \(attribute.hasPrefix("@MainActor") ? "@MainActor\n" : "")struct Counter {
                        nonisolated func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }

                        typealias DomainState = \(state)

                        typealias Action = \(action)
                    }

                    extension Counter: nonisolated Lattice.Interactor {
                    }
                    """,
                macros: .lattice
            )
        }
    }

    @Test("An argument with an associated type's name gets an alias next to the type, where the name is not shadowed")
    func sameNames() {
        expectExpansion(
            of: """
                @available(macOS 30, *)
                @Interactor<State, IdentifiedAction<Int, Action>>
                public struct Counter {
                    public func interact(state: inout State, action: Action) -> Emission<Action> { .none }
                }
                """,
            to: """
                @available(macOS 30, *)
                public struct Counter {
                    public func interact(state: inout State, action: Action) -> Emission<Action> { .none }

                    public typealias DomainState = State

                    public typealias Action = _$Action_Counter
                }

                @available(macOS 30, *)
                public typealias _$Action_Counter = IdentifiedAction<Int, Action>

                @available(macOS 30, *)
                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Only an unqualified name conflicts with the alias",
        arguments: [("Outer.Action", false), ("Action", true), ("[Action]", true), ("Outer.Other<Action?>", true)]
    )
    func namesByThemselves(action: String, isMistaken: Bool) {
        expectExpansion(
            of: """
                @Interactor<Int, \(action)>
                fileprivate struct `Counter` {
                    func interact(state: inout Int, action: Action) -> Emission<Action> { .none }
                }
                """,
            to: """
                fileprivate struct `Counter` {
                    func interact(state: inout Int, action: Action) -> Emission<Action> { .none }

                    typealias DomainState = Int

                    typealias Action = \(isMistaken ? "_$Action_Counter" : action)
                }\(isMistaken ? "\n\nfileprivate typealias _$Action_Counter = \(action)" : "")

                extension `Counter`: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Aliases are as visible as the type (W7)",
        arguments: [
            ("public ", "public "), ("open ", "public "), ("package ", "package "), ("fileprivate ", ""), ("", ""),
        ]
    )
    func access(modifier: String, copied: String) {
        expectExpansion(
            of: """
                @Interactor<S, A> \(modifier)class Counter {
                    let body = EmptyInteractor<S, A>()
                }
                """,
            to: """
                \(modifier)class Counter {
                    let body = EmptyInteractor<S, A>()

                    \(copied)typealias DomainState = S

                    \(copied)typealias Action = A
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Without arguments, the builder has the types of the body or the associated types (W31)",
        arguments: [
            ("some Interactor<Int?, [T]>", "Int?, [T]"),
            ("some Lattice.Interactor<S, A> & Sendable", "S, A"),
            ("some InteractorOf<Self>", "DomainState, Action"),
            ("some InteractorOf<Other>", "DomainState, Action"),
            ("Counter.Body", "DomainState, Action"),
        ]
    )
    func builderTypes(type: String, types: String) {
        expectExpansion(
            of: """
                @Interactor
                struct Counter {
                    var body: \(type) {
                        EmptyInteractor()
                    }
                }
                """,
            to: """
                struct Counter {
                    @Lattice.InteractorBuilder<\(types)>
                    var body: \(type) {
                        EmptyInteractor()
                    }
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "The builder is left out where the compiler would not use it",
        arguments: [
            "@InteractorBuilder<S, A> var body: some InteractorOf<Self> { EmptyInteractor() }",
            "@Lattice.InteractorBuilder<S, A> var body: some InteractorOf<Self> { EmptyInteractor() }",
            "var body: some InteractorOf<Self> { if flag { return one }; return two }",
            "var body: some InteractorOf<Self> { get { return one } }",
            "let body: EmptyInteractor<S, A>",
            "var body = EmptyInteractor<S, A>() { didSet {} }",
            "var text: some StringProtocol { \"\" }; let body = EmptyInteractor<S, A>()",
        ]
    )
    func withoutBuilder(member: String) {
        expectExpansion(
            of: """
                @Interactor struct Counter {
                    \(member)
                }
                """,
            to: """
                struct Counter {
                    \(member)
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "A return inside a closure or a function does not count as the body's own",
        arguments: [
            "var body: some InteractorOf<Self> { Interact { _, _ in return .none } }",
            "var body: some InteractorOf<Self> { get { Interact { _, _ in return .none } } }",
            "var body: some InteractorOf<Self> { func one() -> Int { return 1 }; EmptyInteractor() }",
            "var body: some InteractorOf<Self> { var one: Int { return 1 }; EmptyInteractor() }",
        ]
    )
    func builderInSpiteOfReturn(member: String) {
        expectExpansion(
            of: """
                @Interactor struct Counter {
                    \(member)
                }
                """,
            to: """
                struct Counter {
                    @Lattice.InteractorBuilder<DomainState, Action>
                    \(member)
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test("Nested types and generic parameters replace an alias (W32)")
    func nestedTypes() {
        expectExpansion(
            of: """
                @Interactor<Outer.DomainState, Action>
                struct Counter<Action: Sendable> {
                    #if DEBUG
                    struct DomainState {}
                    #else
                    enum DomainState {}
                    #endif
                    func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }
                }
                """,
            to: """
                struct Counter<Action: Sendable> {
                    #if DEBUG
                    struct DomainState {}
                    #else
                    enum DomainState {}
                    #endif
                    func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test func aDeclaredConformanceIsNotRepeated() {
        expectExpansion(
            of: """
                @Interactor<S, A>
                struct Counter: Interactor {
                }
                """,
            to: """
                struct Counter: Interactor {

                    typealias DomainState = S

                    typealias Action = A
                }
                """,
            macros: .latticeWithoutConformances
        )
    }

    @Test func availabilityHoldsForTheExtension() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                @available(*, deprecated, message: "Old")
                @Interactor<S, A>
                enum Counter {
                    func interact(state: inout S, action: A) -> Emission<A> { .none }
                }
                """,
            to: """
                @available(macOS 99, *)
                @available(*, deprecated, message: "Old")
                enum Counter {
                    func interact(state: inout S, action: A) -> Emission<A> { .none }

                    typealias DomainState = S

                    typealias Action = A
                }

                @available(macOS 99, *)
                @available(*, deprecated, message: "Old")
                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }
}
