/// A view state reducer that is made of closures.
public struct BuildViewState<DomainState, ViewState>: ViewStateReducer, Sendable {
    private let initial: @Sendable (DomainState) -> ViewState
    private let reducerBlock: @Sendable (DomainState, inout ViewState) -> Void

    /// Creates a reducer from two closures.
    ///
    /// - Parameters:
    ///   - initial: Returns the view state that the first reduction starts from.
    ///   - reducerBlock: Updates the view state in place.
    public init(
        initial: @escaping @Sendable (DomainState) -> ViewState,
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) {
        self.initial = initial
        self.reducerBlock = reducerBlock
    }

    /// Calls the closure that updates the view state.
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reducerBlock(domainState, &viewState)
    }

    /// Returns the result of the closure that creates the initial view state.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        initial(domainState)
    }
}

extension BuildViewState where ViewState: DefaultValueProvider {
    /// Creates a reducer whose first reduction starts from the default value of the view state.
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        self.init(initial: { _ in ViewState.defaultValue }, reducerBlock: reducerBlock)
    }
}

extension BuildViewState {
    /// Not available. This declaration exists so that the compiler can say what is missing.
    @available(
        *,
        unavailable,
        message: """
            Pass 'initial:', or let the view state conform to DefaultValueProvider. In the 'body' of a reducer that \
            implements 'initialViewState(for:)', write 'Self.buildViewState { … }'
            """
    )
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }

    /// Returns a reducer for the `body` of a type that implements ``ViewStateReducer/initialViewState(for:)`` itself.
    static func withoutInitial(
        _ reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> Self {
        Self(initial: Self.missingInitial, reducerBlock: reducerBlock)
    }

    private static func missingInitial(_ domainState: DomainState) -> ViewState {
        let provider = ViewState.self as? any DefaultValueProvider.Type
        guard let viewState = provider?.defaultValue as? ViewState else {
            fatalError(  // No value of the type exists, so the program cannot continue.
                """
                The reducer has no initial view state. Pass 'initial:' to buildViewState, let \(ViewState.self) \
                conform to DefaultValueProvider, or implement 'initialViewState(for:)' in the reducer.
                """
            )
        }
        return viewState
    }
}
