/// A type that derives the view state from the domain state.
///
/// A reducer either composes another reducer in `body`, or implements the two functions itself. As with interactors,
/// `body` is built once per runtime.
public protocol ViewStateReducer<DomainState, ViewState> {
    /// The state that the interactor changes.
    associatedtype DomainState
    /// The state that is shown.
    associatedtype ViewState
    /// The type of `body`, or `Never` for a reducer that implements the functions and has no body.
    associatedtype Body

    /// The reducer that this reducer is composed of.
    @ViewStateReducerBuilder<DomainState, ViewState>
    var body: Body { get }

    /// Updates `viewState` in place. Properties that are not changed keep their identity. The function must not block.
    func reduce(_ domainState: DomainState, into viewState: inout ViewState)

    /// The view state that the first ``reduce(_:into:)`` starts from.
    func initialViewState(for domainState: DomainState) -> ViewState

    /// Returns the form in which a runtime stores this reducer. Every `body` in it is built at most once.
    func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState>
}

/// A reducer with the domain state and view state of `V`, for `var body: some ViewStateReducerOf<Self>`.
public typealias ViewStateReducerOf<V: ViewStateReducer> = ViewStateReducer<V.DomainState, V.ViewState>

extension ViewStateReducer {
    /// Returns a resolved reducer that calls this reducer directly.
    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        _ResolvedViewStateReducer(calling: self)
    }

    /// Returns a reducer that is made of two closures.
    ///
    /// - Parameters:
    ///   - initial: Returns the view state that the first reduction starts from.
    ///   - reducerBlock: Updates the view state in place.
    public static func buildViewState(
        initial: @escaping @Sendable (DomainState) -> ViewState,
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: initial, reducerBlock: reducerBlock)
    }

    /// Returns a reducer that is made of one closure.
    ///
    /// Use it if the view state conforms to ``DefaultValueProvider``, or in the `body` of a reducer that implements
    /// ``initialViewState(for:)`` itself. Otherwise the reducer has no initial view state, and creating a view model
    /// traps. For a type with `@ViewStateReducer`, the compiler reports the mistake instead.
    public static func buildViewState(
        reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        .withoutInitial(reducerBlock)
    }
}

extension ViewStateReducer where Body == Never {
    /// Not used. A reducer without a body implements the functions itself.
    public var body: Body {
        fatalError(  // `Never` has no value to return. Resolving a reducer does not read the body of this one.
            "\(Self.self) has no body, because it implements reduce(_:into:); call that method instead"
        )
    }

    /// Not available. This declaration exists so that the compiler can say what is missing.
    @available(*, unavailable, message: "Declare 'body', or implement 'reduce(_:into:)'")
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }

    /// Not available. This declaration exists so that the compiler can say what is missing.
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
    /// Returns the default value of the view state.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        ViewState.defaultValue
    }
}

extension ViewStateReducer where Body: ViewStateReducer<DomainState, ViewState> {
    /// Forwards to `body`. If a runtime is calling, the call goes to the body that the runtime keeps.
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        if let kept = ViewStateReducerProbe.keepBody(of: self, for: .reduce) {
            kept.reduce(domainState, into: &viewState)
        } else {
            body.reduce(domainState, into: &viewState)
        }
    }

    /// Forwards to `body`. If a runtime is calling, the call goes to the body that the runtime keeps.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        if let kept = ViewStateReducerProbe.keepBody(of: self, for: .initialViewState) {
            return kept.initialViewState(for: domainState)
        }
        return body.initialViewState(for: domainState)
    }

    /// Returns a resolved reducer that keeps the body of this reducer.
    public func _resolve() -> _ResolvedViewStateReducer<DomainState, ViewState> {
        if Body.self == Self.self { return _ResolvedViewStateReducer(calling: self) }
        let node = ViewStateReducerNode(self)
        return _ResolvedViewStateReducer(
            reduce: { node.reduce($0, into: &$1) },
            initialViewState: { node.initialViewState(for: $0) }
        )
    }
}

/// A result builder for the `body` of a reducer, which contains exactly one reducer.
@resultBuilder
public enum ViewStateReducerBuilder<DomainState, ViewState> {
    /// Passes the types of the enclosing reducer to an expression such as `BuildViewState { … }`.
    public static func buildExpression<V: ViewStateReducer<DomainState, ViewState>>(_ reducer: V) -> V {
        reducer
    }

    /// Returns the only reducer of the block.
    public static func buildBlock<V: ViewStateReducer<DomainState, ViewState>>(_ reducer: V) -> V {
        reducer
    }
}

/// A type with a default value, such as a view state that can be shown before any data is known.
public protocol DefaultValueProvider: SendableMetatype {
    /// The default value.
    static var defaultValue: Self { get }
}

// `@ViewStateReducer` calls these functions in a type that has no initial view state of its own, and whose `body` has
// none either. The compiler then reports what is missing. Without the call, creating a view model would trap.

extension ViewStateReducer where ViewState: DefaultValueProvider {
    /// Returns the default value of the view state. Generated code calls this function.
    public static func _defaultViewState() -> ViewState { ViewState.defaultValue }
}

extension ViewStateReducer {
    /// Not available. This declaration exists so that the compiler can say what is missing.
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
