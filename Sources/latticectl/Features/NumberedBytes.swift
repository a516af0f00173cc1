/// Bytes that begin with a number, encoded as one byte string.
///
/// One value and no names of fields, as the peers' messages have none: they are raw bytes.
struct NumberedBytes: Codable, Equatable, Sendable {
    /// Numbers start here, so that each has the same length on the wire.
    static let firstNumber = 100_000
    private static let placeOfTime = MemoryLayout<UInt64>.size
    private static let filling: UInt8 = 0xA5

    // Without a default: each decoded value would make it first.
    private var bytes: [UInt8]

    init(_ number: Int, count: Int) {
        bytes = [UInt8](repeating: Self.filling, count: count)
        self.number = number
    }

    /// Whether there are so many bytes, and nothing is missing at their end.
    func isWhole(_ count: Int) -> Bool { bytes.count == count && bytes.last == Self.filling }

    /// - Returns: 0 for bytes that hold no number.
    var number: Int {
        get {
            guard bytes.count >= MemoryLayout<UInt64>.size else { return 0 }
            return Int(truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
        set {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(bitPattern: Int64(newValue)), as: UInt64.self) }
        }
    }

    /// When it was sent, by the clock that all processes share, if somebody has written it into the filling.
    var time: UInt64 {
        get {
            guard bytes.count >= 2 * MemoryLayout<UInt64>.size else { return 0 }
            return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Self.placeOfTime, as: UInt64.self) }
        }
        set {
            bytes.withUnsafeMutableBytes {
                $0.storeBytes(of: newValue, toByteOffset: Self.placeOfTime, as: UInt64.self)
            }
        }
    }

    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
