/// A value that can say what has changed in it, and take such a change in.
///
/// Where a state is `Patchable`, what is sent of a change is the change: the fields of a struct that differ, the
/// payload of an enum that stays in its case, the elements of a collection that are new, gone or other. What a change
/// costs depends on what the state is made of: with ``StateDictionary`` and ``StateList`` on what changed, with plain
/// collections on their size, since an old copy is kept and compared.
///
/// `@Patchable` writes the conformance, and so does `@ObservableState` for a state that says that it is `Patchable`. By
/// hand it is a line for each property, under the name that it has where it is encoded:
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
/// A type that writes neither is sent as a whole when it differs, which is right for small ones:
/// `extension Colour: Patchable {}`.
///
/// Two values are the same if they are the same bytes where they are encoded. What `==` says decides nothing: a part
/// that it leaves out is sent when it changes.
///
/// For any two values the patch from the one to the other turns the one into the other, also if the two have nothing to
/// do with one another.
public protocol Patchable: Codable, Equatable {
    /// Writes what turns `old` into this value; nothing if they are the same.
    /// - Throws: What a value throws that cannot be encoded.
    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws

    /// Takes in what ``encodePatch(from:to:)`` wrote. After an error the value is of no use.
    /// - Throws: A `DecodingError` that says what does not fit.
    mutating func apply(_ patch: inout PatchDecoder) throws
}

extension Patchable {
    /// Writes the whole, if it differs where it is encoded.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        if try !patch.isSame(old, self) { try patch.set(self) }
    }

    /// Takes a whole only, which does not come here.
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        throw patch.mismatch("\(Self.self) is changed as a whole")
    }

    /// What turns `old` into this value; nil if they are the same. What is nested too deeply for a patch is in it as a
    /// whole.
    /// - Throws: What a value throws that cannot be encoded, also because it is nested too deeply.
    /// - Complexity: That of the parts: see ``Patchable``.
    public func patch(from old: Self) throws -> Patch? {
        var encoder = PatchEncoder()
        return try encoder.encode(from: old, to: self) ? Patch(bytes: encoder.bytes) : nil
    }

    /// Changes this value as a patch says that was made from one that is equal to it.
    /// - Throws: A `DecodingError` that says what does not fit; the value is as it was then.
    public mutating func apply(_ patch: Patch) throws {
        var next = self
        try patch.bytes.withUnsafeBytes { try next.apply(patchBytes: $0) }
        self = next
    }

    /// The same for bytes from elsewhere, in place. After an error the value is of no use.
    package mutating func apply(patchBytes bytes: UnsafeRawBufferPointer) throws {
        var decoder = PatchDecoder(bytes)
        try decoder.apply(to: &self)
        try decoder.finish()
    }
}

/// What turns one value into another: a change, as bytes that say what they mean (section 10 of the wire protocol).
public struct Patch: Sendable, Hashable {
    /// CBOR, deterministic: the same change is the same bytes.
    public let bytes: [UInt8]

    /// A patch that came from elsewhere. Whether it is one turns out when it is applied.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
