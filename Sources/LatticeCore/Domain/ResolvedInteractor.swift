/// An interactor as a runtime stores it: one function that builds each `body` at most once.
///
/// It belongs to the runtime that resolved it, and to the isolation of that runtime.
public struct _ResolvedInteractor<DomainState: Sendable, Action: Sendable> {
    /// Finds children whose part of the state has been removed. The state is nil if it has been removed itself.
    typealias Sweep = (DomainState?, inout ScopeSweep) -> Void

    /// Returns whether the interactor currently keeps state of its own.
    typealias RetentionCheck = (RetainedPart) -> Bool

    let handler: (inout DomainState, Action) -> Emission<Action>
    /// The function that finds removed children, or nil if the interactor has no such children.
    let sweep: Sweep?
    /// The function that tells whether the interactor keeps state of its own, or nil if it never does.
    let retains: RetentionCheck?

    /// Creates a resolved interactor from the function that handles actions.
    public init(_ handler: @escaping (inout DomainState, Action) -> Emission<Action>) {
        self.init(sweep: nil, retains: nil, handler)
    }

    init(
        sweep: Sweep?,
        retains: RetentionCheck?,
        _ handler: @escaping (inout DomainState, Action) -> Emission<Action>
    ) {
        self.handler = handler
        self.sweep = sweep
        self.retains = retains
    }

    /// Creates a resolved interactor for an interactor that has no body to keep. Each action goes directly to its
    /// `interact`.
    init<I: Interactor<DomainState, Action>>(calling interactor: I) {
        // The private state of an object cannot be inspected.
        let retains: RetentionCheck? = I.self is any AnyObject.Type ? { $0 != .elements } : nil
        self.init(sweep: nil, retains: retains) { state, action in interactor.interact(state: &state, action: action) }
    }

    /// Handles one action.
    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        handler(&state, action)
    }

    /// Returns the same interactor with `transform` applied to every emission except `none`.
    /// - Parameter isInUse: Returns whether `transform` currently keeps state that results from its calls.
    func mappingEmissions(
        isInUse: @escaping () -> Bool,
        _ transform: @escaping (Emission<Action>, Action) -> Emission<Action>
    ) -> Self {
        let retentionCheck: RetentionCheck = { [retains] part in
            switch part {
            case .later: true
            case .anything: isInUse() || retains?(part) == true
            case .elements: retains?(part) == true
            }
        }
        return Self(sweep: sweep, retains: retentionCheck) { [handler] state, action in
            let emission = handler(&state, action)
            if emission.isNone { return emission }
            return transform(emission, action)
        }
    }

    /// Combines the functions that find removed children, for several interactors on the same state.
    static func sweep(of interactors: [Self]) -> Sweep? {
        let sweeps = interactors.compactMap(\.sweep)
        guard sweeps.count > 1 else { return sweeps.first }
        return { state, sweep in
            for look in sweeps { look(state, &sweep) }
        }
    }

    /// Combines the functions that tell whether an interactor keeps state, for several interactors on the same state.
    static func retentionCheck(of interactors: [Self]) -> RetentionCheck? {
        let all = interactors.compactMap(\.retains)
        guard all.count > 1 else { return all.first }
        return { part in all.contains { $0(part) } }
    }
}

/// The kinds of state that an interactor can keep between actions.
enum RetainedPart {
    /// Any state, including that of a debounce or a throttle, and the private state of an object.
    case anything
    /// State that can arise when the effects of the interactor start.
    case later
    /// The interactors of elements that keep state and must be removed with their elements.
    case elements
}

extension _ResolvedInteractor {
    /// Returns the same interactor for a larger state and for actions that carry additional data.
    ///
    /// - Parameters:
    ///   - path: The interactor's state in the larger state.
    ///   - action: Extracts the interactor's action from a carrier.
    ///   - embed: Creates a carrier for an emitted action. It also receives the carrier that was being handled.
    ///   - handled: Called when the interactor has handled an action.
    package func carried<State: Sendable, Carrier: Sendable>(
        state path: WritableKeyPath<State, DomainState>,
        action: @escaping @Sendable (Carrier) -> Action,
        embed: @escaping @Sendable (Action, _ handled: Carrier) -> Carrier,
        handled: @escaping (inout State, Carrier) -> Void
    ) -> _ResolvedInteractor<State, Carrier> {
        let sweep = sweep.map { look in
            { (state: State?, sweep: inout ScopeSweep) in look(state?[keyPath: path], &sweep) }
        }
        return _ResolvedInteractor<State, Carrier>(sweep: sweep, retains: retains) { [handler] state, carrier in
            let emission = handler(&state[keyPath: path], action(carrier))
            handled(&state, carrier)
            return emission.map { embed($0, carrier) }
        }
    }
}
