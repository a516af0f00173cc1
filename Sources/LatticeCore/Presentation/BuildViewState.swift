/// A view state reducer made of closures.
public struct BuildViewState<DomainState, ViewState>: ViewStateReducer, Sendable {
    /// Nil where only the reduction was given.
    private let initial: (@Sendable (DomainState) -> ViewState)?
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

    /// For a view state that is a ``DefaultValueProvider``, which the first reduction then starts from, and for the
    /// `body` of a reducer that implements ``ViewStateReducer/initialViewState(for:)`` itself.
    ///
    /// Where neither is the case there is nothing to start from, and making a view model ends the program. Where it is
    /// the `body` of a type with `@ViewStateReducer` the compiler finds that out.
    public init(reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void) {
        initial = nil
        self.reducerBlock = reducerBlock
    }

    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reducerBlock(domainState, &viewState)
    }

    public func initialViewState(for domainState: DomainState) -> ViewState {
        if let initial { return initial(domainState) }
        let provider = ViewState.self as? any DefaultValueProvider.Type
        guard let viewState = provider?.defaultValue as? ViewState else {
            fatalError(  // There is no value of the type to go on with.
                """
                There is no initial view state: pass 'initial:' to BuildViewState, let \(ViewState.self) conform to \
                DefaultValueProvider, or implement 'initialViewState(for:)' in the reducer
                """
            )
        }
        return viewState
    }
}
