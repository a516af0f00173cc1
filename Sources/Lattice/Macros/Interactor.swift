/// Makes a type an interactor of a domain state and an action.
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
/// Adds the type aliases `DomainState` and `Action` with the access level of the type, `InteractorBuilder` to `body`,
/// and the conformance to `Interactor`. A type that declares an alias itself keeps it, with a warning; one that
/// implements `interact(state:action:)` needs no `body`. The arguments are looked up outside the type: types nested in
/// it are given with `@Interactor` alone. The state comes first, then the action, also where they are called `State`
/// and `Action`; `Feature` names the action first.
///
/// For structs, enums and classes; and for actors and types on the main actor, if the members that an interactor needs
/// are `nonisolated`.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
@attached(peer, names: prefixed(_$DomainState_), prefixed(_$Action_))
public macro Interactor<DomainState, Action>() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Makes a type an interactor of the types that `body` or `interact(state:action:)` states, as in
/// `var body: some Interactor<CounterState, CounterAction>`, or of the nested types `DomainState` and `Action`.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Not a use of the macro: another number of generic arguments, for which it has a message.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor<Argument>() = #externalMacro(module: "LatticeMacros", type: "InteractorMacro")

/// Not a use of the macro: another number of generic arguments, for which it has a message.
@attached(member, conformances: Interactor, names: named(DomainState), named(Action))
@attached(memberAttribute)
@attached(extension, conformances: Interactor)
public macro Interactor<First, Second, Third, each More>() =
    #externalMacro(module: "LatticeMacros", type: "InteractorMacro")
