/// A value that can encode what has changed in it, and apply such a change.
///
/// If a state is `Patchable`, only its changes are sent: the changed fields of a struct, the payload of an enum that
/// stays in its case, and the elements of a collection that were added, removed or changed. The cost of a change
/// depends on the collections in the state. With ``StateDictionary`` and ``StateList`` it depends on what changed. With
/// plain collections it depends on their size, since an old copy is kept and compared.
///
/// `@Patchable` generates the conformance. `@ObservableState` generates it too, for a state that declares that it is
/// `Patchable`. To implement it yourself, write a line for each property, under the name that it has in the encoding:
///
/// ```swift
/// struct Card: Patchable {
///     var title = ""
///     var words: StateDictionary<String, Int> = [:]
///
///     func encodePatch(from old: Card, to patch: inout PatchEncoder) throws {
///         try patch.field("title", from: old.title, to: title)
///         try patch.field("words", from: old.words, to: words)
///     }
///
///     mutating func apply(_ patch: inout PatchDecoder) throws {
///         try patch.fields { name, patch in
///             switch name {
///             case "title": try patch.apply(to: &title)
///             case "words": try patch.apply(to: &words)
///             default: throw patch.unknownField(name)
///             }
///         }
///     }
/// }
/// ```
///
/// A type that implements neither method is sent as a whole when it differs, which is right for small types:
/// `extension Colour: Patchable {}`.
///
/// Two values are the same if they have the same encoding, regardless of `==`. A part that `==` ignores is sent when it
/// changes.
///
/// For any two values, the patch from one to the other turns the first into the second, even if they have nothing in
/// common.
public protocol Patchable: Codable, Equatable {
    /// Writes what turns `old` into this value, or nothing if they are the same.
    /// - Throws: The error of a value that cannot be encoded.
    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws

    /// Applies what ``encodePatch(from:to:)`` wrote. If an error is thrown, the value is in an undefined state.
    /// - Throws: A `DecodingError` that describes the mismatch.
    mutating func apply(_ patch: inout PatchDecoder) throws
}

extension Patchable {
    /// Writes the whole value, if its encoding differs.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        if try !patch.isSame(old, self) { try patch.set(self) }
    }

    /// Throws an error. A whole value is applied by the decoder itself.
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        throw patch.mismatch("\(Self.self) can only be replaced as a whole")
    }

    /// Returns the patch that turns `old` into this value, or nil if they are the same. A part that is nested too
    /// deeply for a patch is replaced as a whole.
    /// - Throws: The error of a value that cannot be encoded, for example because it is nested too deeply.
    /// - Complexity: The sum over the parts of the value, see ``Patchable``.
    public func patch(from old: Self) throws -> Patch? {
        var encoder = PatchEncoder()
        return try encoder.encode(from: old, to: self) ? Patch(bytes: encoder.bytes) : nil
    }

    /// Applies a patch that was made from a value equal to this one.
    /// - Throws: A `DecodingError` that describes the mismatch. The value is then unchanged.
    public mutating func apply(_ patch: Patch) throws {
        var next = self
        try patch.bytes.withUnsafeBytes { try next.apply(patchBytes: $0) }
        self = next
    }

    /// Applies a patch from its bytes, in place. If an error is thrown, the value is in an undefined state.
    package mutating func apply(patchBytes bytes: UnsafeRawBufferPointer) throws {
        var decoder = PatchDecoder(bytes)
        try decoder.apply(to: &self)
        try decoder.finish()
    }
}

/// A change that turns one value into another, in a self-describing binary form (section 8.3 of the wire protocol).
public struct Patch: Sendable, Hashable {
    /// The patch as deterministic CBOR: equal changes have equal bytes.
    public let bytes: [UInt8]

    /// Creates a patch from received bytes. They are validated when the patch is applied.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
