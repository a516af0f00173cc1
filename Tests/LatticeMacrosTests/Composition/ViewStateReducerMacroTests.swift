import Testing

struct ViewStateReducerMacroTests {
    @Test("The macro expands to the expected text (contract 39)")
    func typesBuilderAndConformance() {
        expectExpansion(
            of: """
                @ViewStateReducer<CounterState, [String]?>
                public struct CounterReducer: Sendable {
                    public var body: some ViewStateReducerOf<Self> {
                        Self.buildViewState { domainState, viewState in viewState = ["\\(domainState.count)"] }
                    }
                }
                """,
            to: """
                public struct CounterReducer: Sendable {
                    @Lattice.ViewStateReducerBuilder<DomainState, ViewState>
                    public var body: some ViewStateReducerOf<Self> {
                        Self.buildViewState { domainState, viewState in viewState = ["\\(domainState.count)"] }
                    }

                    public typealias DomainState = CounterState

                    public typealias ViewState = [String]?

                    private nonisolated static func _defaultViewStateIsThere() -> ViewState {
                        Self._defaultViewState()
                    }
                }

                extension CounterReducer: nonisolated Lattice.ViewStateReducer {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "No initial view state is invented, whatever the text of the body (W29)",
        arguments: [
            "// Says buildViewState.\n        Other()",
            "Self.buildViewState(initial: { _ in V() }) { _, _ in }",
            "BuildViewState(initial: { _ in V() }, reducerBlock: { _, _ in })",
            "Other { BuildViewState { _, _ in } }",
        ]
    )
    func initialViewStateIsTheBodysOwn(code: String) {
        expectExpansion(
            of: """
                @ViewStateReducer
                struct Reducer {
                    var body: some ViewStateReducer<D, V> {
                        \(code)
                    }
                }
                """,
            to: """
                struct Reducer {
                    @Lattice.ViewStateReducerBuilder<D, V>
                    var body: some ViewStateReducer<D, V> {
                        \(code)
                    }
                }

                extension Reducer: nonisolated Lattice.ViewStateReducer {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "A reducer with an initial view state of its own may leave it out of its body (contract 37)",
        arguments: [
            "Self.buildViewState { _, _ in }", "BuildViewState { _, _ in }", "Lattice.BuildViewState<D, V> { _, _ in }",
        ]
    )
    func ownInitialViewState(code: String) {
        expectExpansion(
            of: """
                @ViewStateReducer<D, V>
                public struct Reducer {
                    public func initialViewState(for domainState: D) -> V { V() }
                    public var body: some ViewStateReducerOf<Self> {
                        \(code)
                    }
                }
                """,
            to: """
                public struct Reducer {
                    public func initialViewState(for domainState: D) -> V { V() }
                    @Lattice.ViewStateReducerBuilder<DomainState, ViewState>
                    public var body: some ViewStateReducerOf<Self> {
                        \(code)
                    }

                    public typealias DomainState = D

                    public typealias ViewState = V
                }

                extension Reducer: nonisolated Lattice.ViewStateReducer {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Without an initial view state, the expansion lets the compiler look for a default value (W37)",
        arguments: [
            "buildViewState { _, _ in }", "BuildViewState { _, _ in }", "Lattice.BuildViewState<D, V> { _, _ in }",
        ]
    )
    func noInitialViewState(code: String) {
        expectExpansion(
            of: """
                @ViewStateReducer<D, V>
                struct Reducer {
                    var body: some ViewStateReducerOf<Self> {
                        \(code)
                    }
                }
                """,
            to: """
                struct Reducer {
                    @Lattice.ViewStateReducerBuilder<DomainState, ViewState>
                    var body: some ViewStateReducerOf<Self> {
                        \(code)
                    }

                    typealias DomainState = D

                    typealias ViewState = V

                    private nonisolated static func _defaultViewStateIsThere() -> ViewState {
                        Self._defaultViewState()
                    }
                }

                extension Reducer: nonisolated Lattice.ViewStateReducer {
                }
                """,
            macros: .lattice
        )
    }

    @Test("A nested type named ViewState is the view state (W32)")
    func nestedViewState() {
        expectExpansion(
            of: """
                @ViewStateReducer
                struct Reducer {
                    struct DomainState {}
                    struct ViewState {}
                    func reduce(_ domainState: DomainState, into viewState: inout ViewState) {}
                }
                """,
            to: """
                struct Reducer {
                    struct DomainState {}
                    struct ViewState {}
                    func reduce(_ domainState: DomainState, into viewState: inout ViewState) {}
                }

                extension Reducer: nonisolated Lattice.ViewStateReducer {
                }
                """,
            macros: .lattice
        )
    }
}
