/// A view state reducer whose type is hidden, to store it.
public struct AnyViewStateReducer<DomainState, ViewState>: ViewStateReducer, Sendable {
    private let base: any ViewStateReducer<DomainState, ViewState> & Sendable

    /// Hides the type of `base`; an ``AnyViewStateReducer`` is taken as it is, so erasing twice costs nothing.
    public init(_ base: some ViewStateReducer<DomainState, ViewState> & Sendable) {
        if let erased = base as? Self {
            self = erased
        } else {
            self.base = base
        }
    }

    public var body: some ViewStateReducer<DomainState, ViewState> { self }

    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        base.reduce(domainState, into: &viewState)
    }

    public func initialViewState(for domainState: DomainState) -> ViewState {
        base.initialViewState(for: domainState)
    }

    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        base._resolve()
    }
}

extension ViewStateReducer where Self: Sendable {
    /// Hides the type of this reducer.
    public func eraseToAnyReducer() -> AnyViewStateReducer<DomainState, ViewState> {
        AnyViewStateReducer(self)
    }
}
