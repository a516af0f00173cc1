/// A view state reducer as a runtime stores it: two functions that build each `body` at most once.
public struct _ResolvedViewStateReducer<DomainState, ViewState> {
    private let reduction: (DomainState, inout ViewState) -> Void
    private let initial: (DomainState) -> ViewState

    /// Creates a resolved reducer from the two functions of a reducer.
    public init(
        reduce: @escaping (DomainState, inout ViewState) -> Void,
        initialViewState: @escaping (DomainState) -> ViewState
    ) {
        reduction = reduce
        initial = initialViewState
    }

    /// Creates a resolved reducer for a reducer that has no body to keep.
    init(calling reducer: some ViewStateReducer<DomainState, ViewState>) {
        self.init(
            reduce: { reducer.reduce($0, into: &$1) },
            initialViewState: { reducer.initialViewState(for: $0) }
        )
    }

    /// Updates `viewState` in place from `domainState`.
    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reduction(domainState, &viewState)
    }

    /// Updates `viewState` for a view model, where the ``WorkerLocal`` parts of the domain state cannot be read.
    package func show(_ domainState: DomainState, in viewState: inout ViewState) {
        WorkerLocalAccess.deny { reduction(domainState, &viewState) }
    }

    /// Returns the view state that the first ``reduce(_:into:)`` starts from.
    public func initialViewState(for domainState: DomainState) -> ViewState {
        initial(domainState)
    }
}

/// Keeps the body of one reducer that declares a body.
///
/// For each of the two functions, the node determines on the first call whether the type implements it or forwards it
/// to its body, as ``InteractorNode`` does.
final class ViewStateReducerNode<R: ViewStateReducer> where R.Body: ViewStateReducer<R.DomainState, R.ViewState> {
    private enum Mode {
        case unknown, forwarding, direct
    }

    private let reducer: R
    private lazy var body = reducer.body._resolve()
    private var reduceMode = Mode.unknown
    private var initialMode = Mode.unknown

    init(_ reducer: R) {
        self.reducer = reducer
    }

    func reduce(_ domainState: R.DomainState, into viewState: inout R.ViewState) {
        if let body = knownBody(for: .reduce) { return body.reduce(domainState, into: &viewState) }
        probing(.reduce) { reducer.reduce(domainState, into: &viewState) }
    }

    func initialViewState(for domainState: R.DomainState) -> R.ViewState {
        if let body = knownBody(for: .initialViewState) { return body.initialViewState(for: domainState) }
        return probing(.initialViewState) { reducer.initialViewState(for: domainState) }
    }

    private subscript(_ function: ViewStateReducerProbe.Function) -> Mode {
        get {
            switch function {
            case .reduce: reduceMode
            case .initialViewState: initialMode
            }
        }
        set {
            switch function {
            case .reduce: reduceMode = newValue
            case .initialViewState: initialMode = newValue
            }
        }
    }

    private func knownBody(
        for function: ViewStateReducerProbe.Function
    ) -> _ResolvedViewStateReducer<R.DomainState, R.ViewState>? {
        self[function] == .forwarding ? body : nil
    }

    /// Calls a function of the reducer. The first call determines whether the function forwards to the body.
    private func probing<Result>(_ function: ViewStateReducerProbe.Function, _ call: () -> Result) -> Result {
        guard self[function] == .unknown else { return call() }
        let probe = ViewStateReducerProbe(node: self, function: function)
        let result = ViewStateReducerProbe.$current.withValue(probe, operation: call)
        if self[function] == .unknown { self[function] = .direct }
        return result
    }

    /// Returns the kept body if this node is probing `function`, else nil.
    fileprivate func keepBody(
        for function: ViewStateReducerProbe.Function
    ) -> _ResolvedViewStateReducer<R.DomainState, R.ViewState>? {
        guard self[function] == .unknown else { return nil }
        self[function] = .forwarding
        return body
    }
}

/// Identifies to the default implementations the node that is probing them, if any.
struct ViewStateReducerProbe: @unchecked Sendable {
    // Unchecked because the node is only used synchronously, inside the call that set the task-local.
    @TaskLocal static var current: ViewStateReducerProbe?

    enum Function {
        case reduce, initialViewState
    }

    let node: AnyObject
    let function: Function

    /// Returns the body that the probing node keeps for `reducer`, or nil if no node is probing `function`.
    static func keepBody<R: ViewStateReducer>(
        of reducer: R,
        for function: Function
    ) -> _ResolvedViewStateReducer<R.DomainState, R.ViewState>?
    where R.Body: ViewStateReducer<R.DomainState, R.ViewState> {
        guard let probe = current, probe.function == function, let node = probe.node as? ViewStateReducerNode<R> else {
            return nil
        }
        return node.keepBody(for: function)
    }
}
