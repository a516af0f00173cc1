/// A type-erased view state reducer, for storage in a property or a collection.
public struct AnyViewStateReducer<DomainState, ViewState>: ViewStateReducer, Sendable {
    private let base: any ViewStateReducer<DomainState, ViewState> & Sendable

    /// Erases the type of `base`. If `base` is an ``AnyViewStateReducer`` already, this initializer stores it without
    /// another wrapper.
    public init(_ base: some ViewStateReducer<DomainState, ViewState> & Sendable) {
        if let erased = base as? Self {
            self = erased
        } else {
            self.base = base
        }
    }

    /// The reducer itself, because it implements the functions without a body.
    public var body: some ViewStateReducer<DomainState, ViewState> { self }

    /// Updates the view state with the wrapped reducer.
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        base.reduce(domainState, into: &viewState)
    }

    /// Returns the initial view state of the wrapped reducer.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        base.initialViewState(for: domainState)
    }

    /// Returns the resolved form of the wrapped reducer.
    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        base._resolve()
    }
}

extension ViewStateReducer where Self: Sendable {
    /// Returns this reducer with its type erased.
    public func eraseToAnyReducer() -> AnyViewStateReducer<DomainState, ViewState> {
        AnyViewStateReducer(self)
    }
}
