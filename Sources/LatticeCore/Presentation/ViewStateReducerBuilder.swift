/// Builds the `body` of a reducer, which is one other reducer.
@resultBuilder
public enum ViewStateReducerBuilder<DomainState, ViewState> {
    public static func buildBlock<V: ViewStateReducer<DomainState, ViewState>>(_ reducer: V) -> V {
        reducer
    }
}
