import LatticeCoding

// What is sent follows the bytes of what is encoded, and not `==`, so that a state comes to the same value as a whole
// and by patches.

extension PatchEncoder {
    /// Whether two values are the same where they are encoded.
    @inlinable
    mutating func isSame<Value: Codable & Equatable>(_ old: Value, _ new: Value) throws -> Bool {
        if _$hasSameBits(old, new) { return true }
        if Value.self == String.self { return hasSameText(old, new) }
        guard old == new else { return false }
        return try isEncodedAlike(old, new)
    }

    /// The same for values that are equal.
    @usableFromInline
    mutating func isEncodedAlike<Value: Codable & Equatable>(_ old: Value, _ new: Value) throws -> Bool {
        if hasSameParts(old, new) { return true }
        let encoder = CBOREncoder()
        return try encoder.encode(old) == encoder.encode(new)
    }
}
