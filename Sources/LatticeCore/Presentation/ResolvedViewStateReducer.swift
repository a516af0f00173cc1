/// A view state reducer as a runtime keeps it: two functions, behind which every `body` is built at most once.
public struct _ResolvedViewStateReducer<DomainState, ViewState> {
    private let reduction: (DomainState, inout ViewState) -> Void
    private let initial: (DomainState) -> ViewState

    public init(
        reduce: @escaping (DomainState, inout ViewState) -> Void,
        initialViewState: @escaping (DomainState) -> ViewState
    ) {
        reduction = reduce
        initial = initialViewState
    }

    /// A reducer that has nothing to keep.
    init(calling reducer: some ViewStateReducer<DomainState, ViewState>) {
        self.init(
            reduce: { reducer.reduce($0, into: &$1) },
            initialViewState: { reducer.initialViewState(for: $0) }
        )
    }

    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reduction(domainState, &viewState)
    }

    public func initialViewState(for domainState: DomainState) -> ViewState {
        initial(domainState)
    }
}
