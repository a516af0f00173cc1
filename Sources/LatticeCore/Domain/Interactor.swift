/// Turns actions into changes of a domain state and into effects.
///
/// An interactor either composes others in `body`, or implements ``interact(state:action:)`` itself; it needs only one
/// of the two. It says nothing about isolation: the runtime that hosts it calls it on one actor, one action at a time.
///
/// The runtime asks for `body` once and keeps what it gets, so an interactor that lives in a `body` keeps its identity
/// from action to action. A `body` must therefore not depend on anything that changes.
public protocol Interactor<DomainState, Action> {
    associatedtype DomainState: Sendable
    associatedtype Action: Sendable
    /// What `body` composes; `Never` for an interactor that implements ``interact(state:action:)`` and has no body.
    associatedtype Body

    @InteractorBuilder<DomainState, Action>
    var body: Body { get }

    /// Handles one action: changes `state` in place and says what is to happen next. Must not block.
    func interact(state: inout DomainState, action: Action) -> Emission<Action>

    /// The form in which a runtime keeps this interactor: every `body` below it is built at most once.
    ///
    /// Only combinators implement this; for every other type the default is right.
    func _resolve() -> _ResolvedInteractor<DomainState, Action>
}

/// An interactor with the state and action of `I`, for `var body: some InteractorOf<Self>`.
public typealias InteractorOf<I: Interactor> = Interactor<I.DomainState, I.Action>

extension Interactor {
    public func _resolve() -> _ResolvedInteractor<DomainState, Action> {
        _ResolvedInteractor(calling: self)
    }
}

extension Interactor where Body == Never {
    /// Never read: an interactor without a body handles its actions itself.
    public var body: Body {
        fatalError(  // `Never` has no value to return, and nothing that is resolved asks for one.
            "\(Self.self) has no body: it implements interact(state:action:), and nothing may ask for its body"
        )
    }

    /// Only says what is missing, to the compiler.
    @available(*, unavailable, message: "Declare 'body', or implement 'interact(state:action:)'")
    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }
}

extension Interactor where Body: Interactor<DomainState, Action> {
    /// Forwards to `body`, through the body that the runtime keeps if a runtime is asking.
    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        if Body.self == Self.self {
            reportUnimplementedInteractor(Self.self)
            return .none
        }
        if let kept = InteractorProbe.keepBody(of: self) {
            return kept.interact(state: &state, action: action)
        }
        return body.interact(state: &state, action: action)
    }

    public func _resolve() -> _ResolvedInteractor<DomainState, Action> {
        // A body that is `self` says that the type implements `interact`: there is nothing to keep.
        if Body.self == Self.self { return _ResolvedInteractor(calling: self) }
        let node = InteractorNode(self)
        // What an object keeps to itself nobody can ask it, whether it has a body or not.
        let isObject = Self.self is any AnyObject.Type
        return _ResolvedInteractor(
            sweep: { state, sweep in node.sweep(state, &sweep) },
            keeps: { part in (isObject && part != .elements) || node.keeps(part) },
            { state, action in node.interact(state: &state, action: action) }
        )
    }
}

/// The interactors that compose others.
public enum Interactors {}
