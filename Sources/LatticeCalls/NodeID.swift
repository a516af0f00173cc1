import LatticeCoding

/// The ID of a node: 16 random bytes, which are different for each run of a process.
package struct NodeID: Hashable, Sendable {
    /// The bytes as a big-endian number.
    package let value: UInt128

    /// Creates an ID from a number.
    package init(_ value: UInt128) {
        self.value = value
    }

    /// Creates an ID from 16 bytes. Returns `nil` for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard let value = UInt128(bytes: bytes) else { return nil }
        self.init(value)
    }

    /// Returns a random ID.
    package static func random() -> NodeID {
        NodeID(UInt128.random(in: .min ... .max))
    }

    /// The 16 bytes of the ID.
    package var bytes: [UInt8] { value.bytes }
}
