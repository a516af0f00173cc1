import LatticeCoding

// A difference is defined by the encoded bytes and not by `==`. A state therefore has the same value whether it is sent
// as a whole or in patches.

extension PatchEncoder {
    /// Returns whether two values have the same encoding.
    @inlinable
    mutating func isSame<Value: Codable & Equatable>(_ old: Value, _ new: Value) throws -> Bool {
        if _$hasSameBits(old, new) { return true }
        if Value.self == String.self { return hasSameText(old, new) }
        guard old == new else { return false }
        return try isEncodedAlike(old, new)
    }

    /// Returns whether two equal values have the same encoding.
    @usableFromInline
    mutating func isEncodedAlike<Value: Codable & Equatable>(_ old: Value, _ new: Value) throws -> Bool {
        if hasSameParts(old, new) { return true }
        let encoder = CBOREncoder()
        return try encoder.encode(old) == encoder.encode(new)
    }
}
