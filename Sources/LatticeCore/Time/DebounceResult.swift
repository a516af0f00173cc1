/// How a call of ``Debouncer/debounce(_:)`` ended.
public enum DebounceResult<T: Sendable>: Sendable {
    /// The period passed without another call, and the work has run.
    case executed(T)
    /// A later call took its place, or it was cancelled.
    case superseded
}

extension DebounceResult: Equatable where T: Equatable {}
