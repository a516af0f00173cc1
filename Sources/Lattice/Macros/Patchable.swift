/// Makes a struct or an enum a value that can say what has changed in it, and take such a change in.
///
/// ```swift
/// @Patchable
/// struct Archive: Codable, Equatable, Sendable {
///     let name: String
///     var files: StateDictionary<String, File> = [:]
///     var progress = Progress.idle
/// }
/// ```
///
/// Adds the conformance to `Patchable`, and with it those to `Codable` and `Equatable` where they are missing. A change
/// of one file sends this file, and of it what changed if `File` is `Patchable` too.
///
/// In a struct each variable is sent by itself, under the name that it has in the `CodingKeys`; one that is not encoded
/// is not sent. Where a constant differs, the struct is sent as a whole. Of a wrapped property the wrapper is sent,
/// which is what is encoded of it. `@WorkerLocal` properties are left out. Observers such as `didSet` are called where
/// a change is taken in, so they may not change other properties that are sent.
///
/// In an enum the associated values of a case are sent each by itself as long as the case stays; another case is sent
/// as a whole, and so is an enum without associated values. A change of a large array in a payload copies the array,
/// unless the enum has a case without a payload.
///
/// The compiler has to write the encoding: for a type with an `encode(to:)` of its own the conformance is written by
/// hand. A view state with `@ObservableState` declares the conformance and needs no other macro:
/// `@ObservableState struct Row: Patchable`.
@attached(member, names: named(encodePatch), named(apply))
@attached(extension, conformances: Patchable)
public macro Patchable() = #externalMacro(module: "LatticeMacros", type: "PatchableMacro")
