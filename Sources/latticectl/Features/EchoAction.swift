/// 64 bytes as it is encoded: a byte string of 62, which begins with the number.
///
/// One value and no names of fields, as the peers' messages have none: they are 64 raw bytes.
struct EchoAction: Codable, Sendable {
    /// Numbers start here, so that each has the same length in the state on the wire.
    static let firstNumber = 100_000

    private static let filling = [UInt8](repeating: 0x5A, count: 62)

    private let bytes: [UInt8]

    /// - Returns: 0 for bytes that hold no number.
    var number: Int {
        guard bytes.count == Self.filling.count else { return 0 }
        return bytes.withUnsafeBytes {
            Int(truncatingIfNeeded: UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)))
        }
    }

    init(number: Int) {
        var bytes = Self.filling
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian, as: UInt64.self)
        }
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
