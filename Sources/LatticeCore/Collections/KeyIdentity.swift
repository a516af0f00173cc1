/// Whether two keys are the same: where they are texts, or made of one, the bytes decide, as on the wire.
///
/// `==` takes two texts for the same that differ in their normal form only, such as the names of two files.
@inlinable
func isSameKey<Key: Equatable>(_ one: Key, _ other: Key) -> Bool {
    if _$hasSameBits(one, other) { return true }
    return one == other && hasSameText(one, other)
}

/// Whether two equal keys have the same text, if they have one.
@usableFromInline
func hasSameText<Key>(_ one: Key, _ other: Key) -> Bool {
    if Key.self == String.self {
        return unsafeBitCast(one, to: String.self).hasSameBytes(as: unsafeBitCast(other, to: String.self))
    }
    guard let one = one as? any StateKey, let other = other as? any StateKey else { return true }
    return one.keyText.hasSameBytes(as: other.keyText)
}

extension String {
    /// Whether two texts are the same as they are encoded.
    @usableFromInline
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                UnsafeRawBufferPointer(one).hasSameBits(as: UnsafeRawBufferPointer(other))
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// An identity that is looked up as ``StateDictionary`` looks up its keys.
struct KeyIdentity<ID: Hashable>: Hashable {
    let id: ID

    init(_ id: ID) {
        self.id = id
    }

    static func == (one: Self, other: Self) -> Bool { isSameKey(one.id, other.id) }

    func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }
}

extension KeyIdentity: Sendable where ID: Sendable {}
