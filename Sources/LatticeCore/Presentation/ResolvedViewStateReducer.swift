/// A view state reducer as a runtime keeps it: two functions, behind which every `body` is built at most once.
public struct _ResolvedViewStateReducer<DomainState, ViewState> {
    private let reduction: (DomainState, inout ViewState) -> Void
    private let initial: (DomainState) -> ViewState

    public init(
        reduce: @escaping (DomainState, inout ViewState) -> Void,
        initialViewState: @escaping (DomainState) -> ViewState
    ) {
        reduction = reduce
        initial = initialViewState
    }

    /// A reducer that has nothing to keep.
    init(calling reducer: some ViewStateReducer<DomainState, ViewState>) {
        self.init(
            reduce: { reducer.reduce($0, into: &$1) },
            initialViewState: { reducer.initialViewState(for: $0) }
        )
    }

    public func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        reduction(domainState, &viewState)
    }

    /// The same as view models call it, of a state whose ``WorkerLocal`` parts are not there to be read.
    @MainActor
    package func show(_ domainState: DomainState, in viewState: inout ViewState) {
        WorkerLocalAccess.deny { reduction(domainState, &viewState) }
    }

    public func initialViewState(for domainState: DomainState) -> ViewState {
        initial(domainState)
    }
}

/// Keeps the body of one reducer that declares one; finds out for each of the two functions whether the type forwards
/// it or implements it, as ``InteractorNode`` does.
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
        findingOut(.reduce) { reducer.reduce(domainState, into: &viewState) }
    }

    func initialViewState(for domainState: R.DomainState) -> R.ViewState {
        if let body = knownBody(for: .initialViewState) { return body.initialViewState(for: domainState) }
        return findingOut(.initialViewState) { reducer.initialViewState(for: domainState) }
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

    /// Calls a function of the type itself; by the first call it turns out whether that forwards.
    private func findingOut<Result>(_ function: ViewStateReducerProbe.Function, _ call: () -> Result) -> Result {
        guard self[function] == .unknown else { return call() }
        let probe = ViewStateReducerProbe(node: self, function: function)
        let result = ViewStateReducerProbe.$current.withValue(probe, operation: call)
        if self[function] == .unknown { self[function] = .direct }
        return result
    }

    /// The kept body if this node is waiting to hear of `function`, else nil.
    fileprivate func keepBody(
        for function: ViewStateReducerProbe.Function
    ) -> _ResolvedViewStateReducer<R.DomainState, R.ViewState>? {
        guard self[function] == .unknown else { return nil }
        self[function] = .forwarding
        return body
    }
}

/// Tells the default functions which node, if any, is finding out about them.
struct ViewStateReducerProbe: @unchecked Sendable {
    // Unchecked: the node is only used synchronously, inside the call that set the task-local.
    @TaskLocal static var current: ViewStateReducerProbe?

    enum Function {
        case reduce, initialViewState
    }

    let node: AnyObject
    let function: Function

    /// The body kept for `reducer` by the node that is calling `function` of it.
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
