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

extension BuildViewState {
    /// Only says what is missing, to the compiler.
    @available(*, unavailable, message: "Pass 'initial:', or let the view state conform to DefaultValueProvider")
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }
}

extension BuildViewState where ViewState: DefaultValueProvider {
    /// Starts from the default value of the view state.
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        self.init(initial: { _ in ViewState.defaultValue }, reducerBlock: reducerBlock)
    }
}
