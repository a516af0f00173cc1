/// One life of one process, as far as calls are concerned: 16 random bytes, so that no two are the same.
package struct NodeID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    /// The bytes as a number, the first one the most significant.
    package let value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// nil unless they are 16.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(bytes.reduce(0) { $0 << 8 | UInt128($1) })
    }

    package static func random() -> NodeID {
        NodeID(UInt128.random(in: .min ... .max))
    }

    package var bytes: [UInt8] {
        (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// 32 hexadecimal digits.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 2 * Self.byteCount - digits.utf8.count) + digits
    }
}
