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
/// A reader of `name` is notified when `name` changes, and not when anything else changes. `ObservableState` describes
/// when a change is noticed.
///
/// In a struct, every stored variable of any type is observed. If the type of a variable is an observable state, or an
/// optional, an array, or a dictionary of observable states, the properties inside it are observed too. The macro does
/// not change constants, computed, static and lazy properties, and properties with a property wrapper or another macro.
/// Constants and wrapped properties have no observers of their own. If one of them differs, the observers of the whole
/// state are notified.
///
/// In an enum, a reader of the value is notified when another case or another payload of the case is shown. If a
/// payload is an observable state, its properties are observed.
///
/// The equality, hashing and coding that the compiler synthesizes are those of the properties. The encoding uses the
/// names of the properties. In a `CodingKeys` type of your own, use the name of the stored variable: `case _name =
/// "name"`.
///
/// If the state declares that it is `Patchable`, as in `@ObservableState struct Row: Patchable`, the macro also
/// generates the functions of that protocol, like `@Patchable`.
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

/// Observes a stored variable of an observable state. `@ObservableState` adds this macro to each variable that can be
/// observed.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro ObservationStateTracked() = #externalMacro(module: "LatticeMacros", type: "ObservationStateTrackedMacro")

/// Excludes a stored property of an observable state from observation. A change of the property notifies no one.
@attached(peer)
public macro ObservationStateIgnored() = #externalMacro(module: "LatticeMacros", type: "ObservationStateIgnoredMacro")
