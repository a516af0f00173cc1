/// Makes a type an interactor for a domain state and an action.
///
/// ```swift
/// @Interactor<CounterState, CounterAction>
/// struct CounterInteractor: Sendable {
///     var body: some InteractorOf<Self> {
///         Interact { state, action in
///             state.count += action.step
///             return .none
///         }
///     }
/// }
/// ```
///
/// The macro adds three things: the type aliases `DomainState` and `Action` with the access level of the type,
/// `InteractorBuilder` on `body`, and the conformance to `Interactor`. If the type declares one of the aliases itself,
/// its alias is used and the compiler shows a warning. A type that implements `interact(state:action:)` needs no
/// `body`.
///
/// The arguments are looked up outside the type. For types that are nested in it, use `@Interactor` without arguments.
/// The state comes first and the action second, even if they are called `State` and `Action`. `Feature`, in contrast,
/// names the action first.
///
/// The macro works for structs, enums and classes. It also works for actors and for types on the main actor, if the
/// members that an interactor needs are `nonisolated`.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
@attached(peer, names: prefixed(_$DomainState_), prefixed(_$Action_))
public macro Interactor<DomainState, Action>() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Makes a type an interactor for the types in the declaration of `body` or `interact(state:action:)`, as in
/// `var body: some Interactor<CounterState, CounterAction>`, or for the nested types `DomainState` and `Action`.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Not a valid use. This declaration exists so that the macro can report a wrong number of generic arguments.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor<Argument>() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Not a valid use. This declaration exists so that the macro can report a wrong number of generic arguments.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor<First, Second, Third, each More>() =
    #externalMacro(module: "LatticeMacros", type: "InteractorMacro")
