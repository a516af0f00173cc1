/// Returns whether two keys are identical. Keys that are strings, or that wrap a string, are compared by their bytes,
/// as on the wire.
///
/// `==` finds two strings equal if they differ in their Unicode normal form only, for example the names of two files.
@inlinable
package func isSameKey<Key: Equatable>(_ one: Key, _ other: Key) -> Bool {
    if _$hasSameBits(one, other) { return true }
    return one == other && hasSameText(one, other)
}

/// Returns whether two equal keys have the same bytes, if they are strings.
@usableFromInline
func hasSameText<Key>(_ one: Key, _ other: Key) -> Bool {
    if Key.self == String.self {
        return unsafeBitCast(one, to: String.self).hasSameBytes(as: unsafeBitCast(other, to: String.self))
    }
    guard let one = one as? any StateKey, let other = other as? any StateKey else { return true }
    return one.keyText.hasSameBytes(as: other.keyText)
}

extension String {
    /// Returns whether two strings have the same encoded bytes.
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

/// An identity that is looked up in the same way as a key of a ``StateDictionary``.
package struct KeyIdentity<ID: Hashable>: Hashable {
    package let id: ID

    package init(_ id: ID) {
        self.id = id
    }

    package static func == (one: Self, other: Self) -> Bool { isSameKey(one.id, other.id) }

    package func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }
}

extension KeyIdentity: Sendable where ID: Sendable {}

extension Dictionary {
    /// Returns the position of a key, or nil if the dictionary contains it only in another form or not at all.
    @inlinable
    package func position(of key: Key) -> Index? {
        guard let position = index(forKey: key), isSameKey(keys[position], key) else { return nil }
        return position
    }
}
