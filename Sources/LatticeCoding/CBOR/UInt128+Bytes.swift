extension UInt128 {
    /// How many bytes it has.
    package static let byteCount = bitWidth / 8

    /// The number with these bytes, the first one the most significant; nil unless they are 16.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Its 16 bytes, the first one the most significant.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
