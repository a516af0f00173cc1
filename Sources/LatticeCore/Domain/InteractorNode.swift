import IssueReporting

/// Keeps the body of one interactor that declares a body.
///
/// A type can declare a `body` and still implement `interact`, and there is no way to ask a type which one it does. The
/// node therefore determines it with the first action. If the call reaches the default `interact`, the type forwards to
/// its body, which the node builds, resolves and keeps. Otherwise the type handles actions itself, and the node calls
/// it directly.
final class InteractorNode<I: Interactor> where I.Body: Interactor<I.DomainState, I.Action> {
    private enum Mode {
        case unknown
        /// The first call reached the default `interact`. Actions go to the kept body.
        case forwarding(_ResolvedInteractor<I.DomainState, I.Action>)
        /// The type implements `interact`.
        case direct
    }

    private let interactor: I
    private var mode = Mode.unknown
    /// Returns whether the kept body keeps state of its own. It is a separate variable because every turn calls it.
    private var retentionCheck: ((RetainedPart) -> Bool)?

    init(_ interactor: I) {
        self.interactor = interactor
    }

    func interact(state: inout I.DomainState, action: I.Action) -> Emission<I.Action> {
        switch mode {
        case .forwarding(let body):
            return body.interact(state: &state, action: action)
        case .direct:
            return interactor.interact(state: &state, action: action)
        case .unknown:
            let emission = InteractorProbe.$current.withValue(InteractorProbe(node: self)) {
                interactor.interact(state: &state, action: action)
            }
            if case .unknown = mode { mode = .direct }
            return emission
        }
    }

    /// Ends the effects of removed children. A type that handles its actions itself has no children that a runtime
    /// knows.
    func sweep(_ state: I.DomainState?, _ sweep: inout ScopeSweep) {
        if case .forwarding(let body) = mode { body.sweep?(state, &sweep) }
    }

    /// Returns whether the body keeps state that results from the actions it has handled.
    func retains(_ part: RetainedPart) -> Bool {
        retentionCheck?(part) == true
    }

    /// Returns the body to keep if this node is waiting for that information, else nil. Only the first call returns it.
    fileprivate func keepBody(of interactor: I) -> _ResolvedInteractor<I.DomainState, I.Action>? {
        guard case .unknown = mode else { return nil }
        let body = interactor.body._resolve()
        mode = .forwarding(body)
        retentionCheck = body.retains
        return body
    }
}

/// Identifies to the default `interact` the node that is calling the interactor, if any.
struct InteractorProbe: @unchecked Sendable {
    // Unchecked because the node is only used synchronously, inside the call that set the task-local, on its runtime's
    // actor. A task that inherits the value cannot use it, because the node has its result by then and returns nil.
    @TaskLocal static var current: InteractorProbe?

    let node: AnyObject

    /// Returns the body that the calling node keeps for `interactor`, or nil if no node is waiting for it.
    ///
    /// Either all values of a type forward or none does, so it is enough to compare the type.
    static func keepBody<I: Interactor>(of interactor: I) -> _ResolvedInteractor<I.DomainState, I.Action>?
    where I.Body: Interactor<I.DomainState, I.Action> {
        guard let node = current?.node as? InteractorNode<I> else { return nil }
        return node.keepBody(of: interactor)
    }
}

/// Reports a type whose body is itself and that does not implement `interact`.
func reportUnimplementedInteractor(_ type: any Any.Type) {
    reportIssue(
        """
        \(type) does nothing: its body is itself, and it does not implement interact(state:action:). \
        Implement interact(state:action:), or return other interactors from body.
        """
    )
}
