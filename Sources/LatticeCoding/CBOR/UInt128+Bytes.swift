extension UInt128 {
    /// The number of bytes of a value.
    package static let byteCount = bitWidth / 8

    /// Creates a number from its bytes, with the most significant one first. It is nil unless there are 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The 16 bytes of the number, with the most significant one first.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
