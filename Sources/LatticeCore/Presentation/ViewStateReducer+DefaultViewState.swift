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
