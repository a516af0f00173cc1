/// A view state reducer made of closures.
public struct BuildViewState<DomainState, ViewState>: ViewStateReducer, Sendable {
    private let initial: @Sendable (DomainState) -> ViewState
    private let reducerBlock: @Sendable (DomainState, inout ViewState) -> Void

    /// - Parameters:
    ///   - initial: the view state that the first reduction starts from.
    ///   - reducerBlock: brings the view state up to date, in place.
    public init(
        initial: @escaping @Sendable (DomainState) -> ViewState,
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) {
        self.initial = initial
        self.reducerBlock = reducerBlock
    }

    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reducerBlock(domainState, &viewState)
    }

    public func initialViewState(for domainState: DomainState) -> ViewState {
        initial(domainState)
    }
}

extension BuildViewState where ViewState: DefaultValueProvider {
    /// For a view state that has a default value, which the first reduction then starts from.
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        self.init(initial: { _ in ViewState.defaultValue }, reducerBlock: reducerBlock)
    }
}

extension BuildViewState {
    /// Only says what is missing, to the compiler.
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

    /// For the `body` of a reducer that implements ``ViewStateReducer/initialViewState(for:)`` itself.
    static func withoutInitial(
        _ reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> Self {
        Self(initial: Self.missingInitial, reducerBlock: reducerBlock)
    }

    private static func missingInitial(_ domainState: DomainState) -> ViewState {
        let provider = ViewState.self as? any DefaultValueProvider.Type
        guard let viewState = provider?.defaultValue as? ViewState else {
            fatalError(  // There is no value of the type to go on with.
                """
                There is no initial view state: pass 'initial:' to buildViewState, let \(ViewState.self) conform to \
                DefaultValueProvider, or implement 'initialViewState(for:)' in the reducer
                """
            )
        }
        return viewState
    }
}
