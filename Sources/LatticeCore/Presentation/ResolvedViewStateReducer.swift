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
    private var body: _ResolvedViewStateReducer<R.DomainState, R.ViewState>?
    private var reduceMode = Mode.unknown
    private var initialMode = Mode.unknown

    init(_ reducer: R) {
        self.reducer = reducer
    }

    func reduce(_ domainState: R.DomainState, into viewState: inout R.ViewState) {
        switch reduceMode {
        case .forwarding: keptBody().reduce(domainState, into: &viewState)
        case .direct: reducer.reduce(domainState, into: &viewState)
        case .unknown:
            ViewStateReducerProbe.$current.withValue(ViewStateReducerProbe(node: self, function: .reduce)) {
                reducer.reduce(domainState, into: &viewState)
            }
            if reduceMode == .unknown { reduceMode = .direct }
        }
    }

    func initialViewState(for domainState: R.DomainState) -> R.ViewState {
        switch initialMode {
        case .forwarding: return keptBody().initialViewState(for: domainState)
        case .direct: return reducer.initialViewState(for: domainState)
        case .unknown:
            let probe = ViewStateReducerProbe(node: self, function: .initialViewState)
            let viewState = ViewStateReducerProbe.$current.withValue(probe) {
                reducer.initialViewState(for: domainState)
            }
            if initialMode == .unknown { initialMode = .direct }
            return viewState
        }
    }

    /// The kept body if this node is waiting to hear of `function`, else nil.
    fileprivate func keepBody(
        for function: ViewStateReducerProbe.Function
    ) -> _ResolvedViewStateReducer<R.DomainState, R.ViewState>? {
        switch function {
        case .reduce:
            guard reduceMode == .unknown else { return nil }
            reduceMode = .forwarding
        case .initialViewState:
            guard initialMode == .unknown else { return nil }
            initialMode = .forwarding
        }
        return keptBody()
    }

    private func keptBody() -> _ResolvedViewStateReducer<R.DomainState, R.ViewState> {
        if let body { return body }
        let resolved = reducer.body._resolve()
        body = resolved
        return resolved
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
