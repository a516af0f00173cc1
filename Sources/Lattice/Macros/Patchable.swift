/// Makes a struct or an enum a value that can encode what has changed in it, and apply such a change.
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
/// The macro adds the conformance to `Patchable`, and the conformances to `Codable` and `Equatable` if they are
/// missing. In the example, a change of one file sends only that file. If `File` is `Patchable` too, it sends only the
/// changed parts of the file.
///
/// In a struct, each variable is sent separately, under its name in the `CodingKeys`. A variable that is not encoded is
/// not sent. If a constant differs, the struct is sent as a whole. For a property with a wrapper, the wrapper is sent,
/// since the wrapper is what is encoded. `@WorkerLocal` properties are omitted. Property observers such as `didSet` are
/// called when a change is applied, so they must not change other properties that are sent.
///
/// In an enum, the associated values are sent separately as long as the case stays the same. Another case is sent as a
/// whole, and so is an enum without associated values. A change of a large array in a payload copies the array, unless
/// the enum has a case without a payload.
///
/// The encoding must be synthesized by the compiler. For a type with its own `encode(to:)`, write the conformance
/// yourself. A view state with `@ObservableState` declares the conformance and needs no additional macro:
/// `@ObservableState struct Row: Patchable`.
@attached(member, names: named(encodePatch), named(apply))
@attached(extension, conformances: Patchable)
public macro Patchable() = #externalMacro(module: "LatticeMacros", type: "PatchableMacro")
