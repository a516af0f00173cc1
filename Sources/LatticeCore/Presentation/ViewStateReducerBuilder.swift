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
