/// Turns domain state into view state.
///
/// A reducer either composes another in `body`, or implements the two functions itself. As with interactors, `body` is
/// built once per runtime.
public protocol ViewStateReducer<DomainState, ViewState> {
    associatedtype DomainState
    associatedtype ViewState
    /// What `body` composes; `Never` for a reducer that implements the functions and has no body.
    associatedtype Body

    @ViewStateReducerBuilder<DomainState, ViewState>
    var body: Body { get }

    /// Brings `viewState` up to date in place; what is not touched keeps its identity. Must not block.
    func reduce(_ domainState: DomainState, into viewState: inout ViewState)

    /// The view state that the first ``reduce(_:into:)`` starts from.
    func initialViewState(for domainState: DomainState) -> ViewState

    /// The form in which a runtime keeps this reducer: every `body` below it is built at most once.
    func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState>
}

/// A reducer with the domain state and view state of `V`, for `var body: some ViewStateReducerOf<Self>`.
public typealias ViewStateReducerOf<V: ViewStateReducer> = ViewStateReducer<V.DomainState, V.ViewState>

extension ViewStateReducer {
    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        _ResolvedViewStateReducer(calling: self)
    }

    /// A reducer made of two closures.
    public static func buildViewState(
        initial: @escaping @Sendable (DomainState) -> ViewState,
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: initial, reducerBlock: reducerBlock)
    }

    /// A reducer made of one closure: for a view state that is a ``DefaultValueProvider``, and for the `body` of a
    /// reducer that implements ``initialViewState(for:)`` itself.
    ///
    /// Where neither is the case there is nothing to start from, and making a view model ends the program. The compiler
    /// finds that out for a type with `@ViewStateReducer`.
    public static func buildViewState(
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        .withoutInitial(reducerBlock)
    }
}

extension ViewStateReducer where Body == Never {
    /// Never read: a reducer without a body does its work itself.
    public var body: Body {
        fatalError(  // `Never` has no value to return, and nothing that is resolved asks for one.
            "\(Self.self) has no body: it implements reduce(_:into:), and nothing may ask for its body"
        )
    }

    /// Only says what is missing, to the compiler.
    @available(*, unavailable, message: "Declare 'body', or implement 'reduce(_:into:)'")
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }

    /// Only says what is missing, to the compiler.
    @available(
        *,
        unavailable,
        message: "Implement 'initialViewState(for:)', or let the view state conform to DefaultValueProvider"
    )
    public func initialViewState(for domainState: DomainState) -> ViewState {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }
}

extension ViewStateReducer where Body == Never, ViewState: DefaultValueProvider {
    public func initialViewState(for domainState: DomainState) -> ViewState {
        ViewState.defaultValue
    }
}

extension ViewStateReducer where Body: ViewStateReducer<DomainState, ViewState> {
    /// Forwards to `body`, through the body that the runtime keeps if a runtime is asking.
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        if let kept = ViewStateReducerProbe.keepBody(of: self, for: .reduce) {
            kept.reduce(domainState, into: &viewState)
        } else {
            body.reduce(domainState, into: &viewState)
        }
    }

    /// Forwards to `body`, as ``reduce(_:into:)`` does.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        if let kept = ViewStateReducerProbe.keepBody(of: self, for: .initialViewState) {
            return kept.initialViewState(for: domainState)
        }
        return body.initialViewState(for: domainState)
    }

    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        if Body.self == Self.self { return _ResolvedViewStateReducer(calling: self) }
        let node = ViewStateReducerNode(self)
        return _ResolvedViewStateReducer(
            reduce: { node.reduce($0, into: &$1) },
            initialViewState: { node.initialViewState(for: $0) }
        )
    }
}

/// Builds the `body` of a reducer, which is one other reducer.
@resultBuilder
public enum ViewStateReducerBuilder<DomainState, ViewState> {
    /// Tells a `BuildViewState { … }` its types.
    public static func buildExpression<V: ViewStateReducer<DomainState, ViewState>>(_ reducer: V) -> V {
        reducer
    }

    public static func buildBlock<V: ViewStateReducer<DomainState, ViewState>>(_ reducer: V) -> V {
        reducer
    }
}

/// A type with a value to start from, such as a view state before anything is known.
public protocol DefaultValueProvider: SendableMetatype {
    static var defaultValue: Self { get }
}

// What `@ViewStateReducer` calls in a type whose `body` has no initial view state and that has none of its own: the
// compiler then says what is missing, which would otherwise be found out when a view model is made.

extension ViewStateReducer where ViewState: DefaultValueProvider {
    public static func _defaultViewState() -> ViewState { ViewState.defaultValue }
}

extension ViewStateReducer {
    /// Only says what is missing, to the compiler.
    @available(
        *,
        unavailable,
        message: """
            Pass 'initial:', let the view state conform to DefaultValueProvider, or implement 'initialViewState(for:)'
            """
    )
    public static func _defaultViewState() -> ViewState {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }
}
