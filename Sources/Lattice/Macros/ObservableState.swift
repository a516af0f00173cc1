/// Makes a struct or an enum a view state whose properties are observed one by one.
///
/// ```swift
/// @ObservableState
/// struct ProfileState: Equatable, Sendable {
///     var name = ""
///     var friends: [FriendState] = []
///     @ObservationStateIgnored var cache = Cache()
/// }
/// ```
///
/// Whoever has read `name` hears when `name` changes, and of nothing else. See `ObservableState` for when that is.
///
/// In a struct, every stored variable is observed, whatever its type; one whose type is an observable state, or an
/// optional, an array, or a dictionary of such, is observed down to the properties inside it. Left alone are constants,
/// computed and static properties, lazy ones, and those with a property wrapper or another macro. Constants and wrapped
/// properties have no observers of their own: where one differs, the observers of the state as a whole hear.
///
/// In an enum, whoever has read the value hears when another case, or another payload of the case, is shown; a payload
/// that is an observable state is observed down to its properties.
///
/// Equality, hashing and coding that the compiler synthesizes are those of the properties. Coding uses the names of the
/// properties; a `CodingKeys` of your own names a variable as it is stored: `case _name = "name"`.
///
/// For a state that declares that it is `Patchable`, as in `@ObservableState struct Row: Patchable`, the functions of
/// that are written too, as `@Patchable` does.
@attached(
    member,
    conformances: Encodable,
    Decodable,
    names: named(_$observationRegistrar),
    named(_$id),
    named(_$willModify),
    named(_$takePlace),
    named(CodingKeys),
    named(encodePatch),
    named(apply)
)
@attached(memberAttribute)
@attached(extension, conformances: ObservableState)
public macro ObservableState() = #externalMacro(module: "LatticeMacros", type: "ObservableStateMacro")

/// Observes a stored variable of an observable state. `@ObservableState` puts it on each that can be observed.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro ObservationStateTracked() = #externalMacro(module: "LatticeMacros", type: "ObservationStateTrackedMacro")

/// Keeps a stored property of an observable state from being observed: nobody hears when it changes.
@attached(peer)
public macro ObservationStateIgnored() = #externalMacro(module: "LatticeMacros", type: "ObservationStateIgnoredMacro")
