/// A type that turns actions into changes of a domain state and into effects.
///
/// An interactor either composes other interactors in `body`, or implements ``interact(state:action:)`` itself. It
/// needs only one of the two. It makes no statement about isolation: the runtime that hosts it calls it on one actor,
/// one action at a time.
///
/// The runtime reads `body` once and keeps the result, so an interactor in a `body` keeps its identity between actions.
/// A `body` must therefore not depend on anything that changes.
public protocol Interactor<DomainState, Action> {
    /// The state that the interactor changes.
    associatedtype DomainState: Sendable
    /// The values that the interactor handles.
    associatedtype Action: Sendable
    /// The type of `body`, or `Never` for an interactor that implements ``interact(state:action:)`` and has no body.
    associatedtype Body

    /// The interactors that this interactor is composed of.
    @InteractorBuilder<DomainState, Action>
    var body: Body { get }

    /// Handles one action: changes `state` in place and returns the actions and effects that follow. It must not block.
    func interact(state: inout DomainState, action: Action) -> Emission<Action>

    /// Returns the form in which a runtime stores this interactor. Every `body` in it is built at most once.
    ///
    /// Only combinators implement this method. The default is right for every other type.
    func _resolve() -> _ResolvedInteractor<DomainState, Action>
}

/// An interactor with the state and action of `I`, for `var body: some InteractorOf<Self>`.
public typealias InteractorOf<I: Interactor> = Interactor<I.DomainState, I.Action>

extension Interactor {
    /// Returns a resolved interactor that calls this interactor directly.
    public func _resolve() -> _ResolvedInteractor<DomainState, Action> {
        _ResolvedInteractor(calling: self)
    }
}

extension Interactor where Body == Never {
    /// Not used. An interactor without a body handles its actions itself.
    public var body: Body {
        fatalError(  // `Never` has no value to return. Resolving an interactor does not read the body of this one.
            "\(Self.self) has no body, because it implements interact(state:action:); call that method instead"
        )
    }

    /// Not available. This declaration exists so that the compiler can say what is missing.
    @available(*, unavailable, message: "Declare 'body', or implement 'interact(state:action:)'")
    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every call.
    }
}

extension Interactor where Body: Interactor<DomainState, Action> {
    /// Forwards to `body`. If a runtime is calling, the call goes to the body that the runtime keeps.
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

    /// Returns a resolved interactor that keeps the body of this interactor.
    public func _resolve() -> _ResolvedInteractor<DomainState, Action> {
        // A body that is `self` indicates that the type implements `interact`, so there is no body to keep.
        if Body.self == Self.self { return _ResolvedInteractor(calling: self) }
        let node = InteractorNode(self)
        // The private state of an object cannot be inspected, whether the object has a body or not.
        let isObject = Self.self is any AnyObject.Type
        return _ResolvedInteractor(
            sweep: { state, sweep in node.sweep(state, &sweep) },
            retains: { part in (isObject && part != .elements) || node.retains(part) },
            { state, action in node.interact(state: &state, action: action) }
        )
    }
}

/// A namespace for the interactors that compose other interactors.
public enum Interactors {}
