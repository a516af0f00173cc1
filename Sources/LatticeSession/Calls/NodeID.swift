import LatticeCoding

/// One life of one process, as far as calls are concerned: 16 random bytes, so that no two are the same.
package struct NodeID: Hashable, Sendable {
    /// The bytes as a number, the first one the most significant.
    package let value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// nil unless they are 16.
    package init?(_ bytes: [UInt8]) {
        guard let value = UInt128(bytes: bytes) else { return nil }
        self.init(value)
    }

    package static func random() -> NodeID {
        NodeID(UInt128.random(in: .min ... .max))
    }

    package var bytes: [UInt8] { value.bytes }
}
