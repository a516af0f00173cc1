/// Numbers in groups of seven bits, lowest first.
extension [UInt8] {
    mutating func appendNumber(_ number: some BinaryInteger) {
        var rest = UInt64(number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// The same bytes without spare capacity.
    var fitted: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

/// Reads packed numbers and bytes. Invalid data counts as the end.
struct PackedReader: Sendable {
    private let packed: [UInt8]
    private(set) var offset: Int

    init(_ packed: [UInt8], at offset: Int = 0) {
        self.packed = packed
        self.offset = offset
    }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard offset < packed.count else { return nil }
            let byte = packed[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        return nil
    }

    /// Reads a number of at most `limit`.
    mutating func length(atMost limit: Int) -> Int? {
        guard let number = number(), number <= UInt64(limit) else { return nil }
        return Int(number)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= packed.count - offset else { return nil }
        defer { offset += count }
        return packed[offset..<offset + count]
    }
}
