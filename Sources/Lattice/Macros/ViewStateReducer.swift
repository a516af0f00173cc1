/// Makes a type a view state reducer of a domain state and a view state.
///
/// ```swift
/// @ViewStateReducer<CounterState, CounterViewState>
/// struct CounterReducer: Sendable {
///     var body: some ViewStateReducerOf<Self> {
///         Self.buildViewState(initial: { _ in CounterViewState() }) { domainState, viewState in
///             viewState.title = "\(domainState.count)"
///         }
///     }
/// }
/// ```
///
/// Adds the type aliases `DomainState` and `ViewState` with the access level of the type, `ViewStateReducerBuilder` to
/// `body`, and the conformance to `ViewStateReducer`. Reductions start from what `initialViewState(for:)` of the type
/// gives, if it implements it; else from what `body` gives, which is `initial`, or the default value of a view state
/// that conforms to `DefaultValueProvider`. Without any of them it does not compile. A type that implements
/// `initialViewState(for:)` leaves out `initial`.
///
/// What is said of `@Interactor` about nested types, actors and the main actor holds here too.
@attached(
    member,
    conformances: ViewStateReducer,
    names: named(DomainState),
    named(ViewState),
    named(_defaultViewStateIsThere)
)
@attached(memberAttribute)
@attached(extension, conformances: ViewStateReducer)
@attached(peer, names: prefixed(_$DomainState_), prefixed(_$ViewState_))
public macro ViewStateReducer<DomainState, ViewState>() =
    #externalMacro(module: "LatticeMacros", type: "ViewStateReducerMacro")

/// Makes a type a view state reducer of the types that `body` or `reduce(_:into:)` states, as in
/// `var body: some ViewStateReducer<CounterState, CounterViewState>`, or of the nested types `DomainState` and
/// `ViewState`.
@attached(
    member,
    conformances: ViewStateReducer,
    names: named(DomainState),
    named(ViewState),
    named(_defaultViewStateIsThere)
)
@attached(memberAttribute)
@attached(extension, conformances: ViewStateReducer)
public macro ViewStateReducer() = #externalMacro(module: "LatticeMacros", type: "ViewStateReducerMacro")

/// Not a use of the macro: another number of generic arguments, for which it has a message.
@attached(
    member,
    conformances: ViewStateReducer,
    names: named(DomainState),
    named(ViewState),
    named(_defaultViewStateIsThere)
)
@attached(memberAttribute)
@attached(extension, conformances: ViewStateReducer)
public macro ViewStateReducer<Argument>() = #externalMacro(module: "LatticeMacros", type: "ViewStateReducerMacro")

/// Not a use of the macro: another number of generic arguments, for which it has a message.
@attached(
    member,
    conformances: ViewStateReducer,
    names: named(DomainState),
    named(ViewState),
    named(_defaultViewStateIsThere)
)
@attached(memberAttribute)
@attached(extension, conformances: ViewStateReducer)
public macro ViewStateReducer<First, Second, Third, each More>() =
    #externalMacro(module: "LatticeMacros", type: "ViewStateReducerMacro")
