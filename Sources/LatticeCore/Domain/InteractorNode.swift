import IssueReporting

/// Keeps the body of one interactor that declares one.
///
/// A type may declare a `body` and still implement `interact` itself. No one can ask a type which it does, so the node
/// finds out with its first action: if the call reaches the default `interact`, the type forwards to its body, which is
/// built, resolved and kept from then on; if it does not, the type handles actions itself and is called as it is.
final class InteractorNode<I: Interactor> where I.Body: Interactor<I.DomainState, I.Action> {
    private enum Mode {
        case unknown
        /// The default `interact` was reached: actions go to the kept body.
        case forwarding(_ResolvedInteractor<I.DomainState, I.Action>)
        /// The type implements `interact`.
        case direct
    }

    private let interactor: I
    private var mode = Mode.unknown
    /// Whether the kept body keeps something; a variable of its own, since it is asked in every turn.
    private var keeping: ((KeptPart) -> Bool)?

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

    /// A type that handles its actions itself has no children that a runtime knows of.
    func sweep(_ state: I.DomainState?, _ sweep: inout ScopeSweep) {
        if case .forwarding(let body) = mode { body.sweep?(state, &sweep) }
    }

    /// Whether the body keeps something of the actions that it has handled.
    func keeps(_ part: KeptPart) -> Bool {
        keeping?(part) == true
    }

    /// The kept body if this node is waiting to hear of it, else nil: it answers the first time only.
    fileprivate func keepBody(of interactor: I) -> _ResolvedInteractor<I.DomainState, I.Action>? {
        guard case .unknown = mode else { return nil }
        let body = interactor.body._resolve()
        mode = .forwarding(body)
        keeping = body.keeps
        return body
    }
}

/// Tells the default `interact` which node, if any, is finding out about it.
struct InteractorProbe: @unchecked Sendable {
    // Unchecked: the node is only used synchronously, inside the call that set the task-local, on its runtime's actor.
    // A task that inherits the value cannot use it: by then the node knows and answers nil.
    @TaskLocal static var current: InteractorProbe?

    let node: AnyObject

    /// The body kept for `interactor` by the node that is calling it.
    ///
    /// Whether a type forwards is the same for all its values, so comparing the type is enough.
    static func keepBody<I: Interactor>(of interactor: I) -> _ResolvedInteractor<I.DomainState, I.Action>?
    where I.Body: Interactor<I.DomainState, I.Action> {
        guard let node = current?.node as? InteractorNode<I> else { return nil }
        return node.keepBody(of: interactor)
    }
}

/// Says that a type whose body is itself has forgotten to implement `interact`.
func reportUnimplementedInteractor(_ type: any Any.Type) {
    reportIssue(
        """
        \(type) does nothing: its body is itself, and it does not implement interact(state:action:). \
        Implement interact(state:action:), or return other interactors from body.
        """
    )
}
