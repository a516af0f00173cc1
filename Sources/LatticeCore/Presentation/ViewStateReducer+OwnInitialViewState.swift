/// For reducers whose `body` only reduces, because they implement ``ViewStateReducer/initialViewState(for:)`` themselves.
///
/// `@ViewStateReducer` gives them a `buildViewState(reducerBlock:)` of their own that calls these, so that a view state
/// needs a default value only where one is used.
extension ViewStateReducer {
    public static func _buildViewState(
        reducingOnly reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        let name = "\(Self.self)"
        let initial: @Sendable (DomainState) -> ViewState = { _ in
            fatalError(  // A runtime asks the reducer, which has its own answer; there is no value to give here.
                "The body of \(name) has no initial view state: ask \(name) itself, which implements it"
            )
        }
        return BuildViewState(initial: initial, reducerBlock: reducerBlock)
    }
}

extension ViewStateReducer where ViewState: DefaultValueProvider {
    public static func _buildViewState(
        reducingOnly reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
    ) -> BuildViewState<DomainState, ViewState> {
        BuildViewState(reducerBlock: reducerBlock)
    }
}
