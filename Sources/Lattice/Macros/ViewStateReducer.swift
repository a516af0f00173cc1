/// Makes a type a view state reducer for a domain state and a view state.
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
/// The macro adds three things: the type aliases `DomainState` and `ViewState` with the access level of the type,
/// `ViewStateReducerBuilder` on `body`, and the conformance to `ViewStateReducer`.
///
/// The first reduction starts from the result of the type's `initialViewState(for:)`, if the type implements it.
/// Otherwise it starts from the initial view state of `body`, which is `initial`, or the default value of a view state
/// that conforms to `DefaultValueProvider`. If none of these exists, the type does not compile. A type that implements
/// `initialViewState(for:)` omits `initial`.
///
/// The rules of `@Interactor` for nested types, actors and the main actor also apply to this macro.
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

/// Makes a type a view state reducer for the types in the declaration of `body` or `reduce(_:into:)`, as in
/// `var body: some ViewStateReducer<CounterState, CounterViewState>`, or for the nested types `DomainState` and
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

/// Not a valid use. This declaration exists so that the macro can report a wrong number of generic arguments.
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

/// Not a valid use. This declaration exists so that the macro can report a wrong number of generic arguments.
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
