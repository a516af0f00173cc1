/// Bytes that begin with a number. They are encoded as one byte string.
///
/// It is a single value without field names, because the messages of the programs to which the bench is compared are
/// raw bytes.
struct NumberedBytes: Codable, Equatable, Sendable {
    /// The first number. Numbers start here, so that all of them have the same length when encoded.
    static let firstNumber = 100_000
    private static let placeOfTime = MemoryLayout<UInt64>.size
    private static let filling: UInt8 = 0xA5

    // This has no default value, because each decoded value would create it first.
    private var bytes: [UInt8]

    init(_ number: Int, count: Int) {
        bytes = [UInt8](repeating: Self.filling, count: count)
        self.number = number
    }

    /// Returns whether there are `count` bytes and the last one is in place.
    func isWhole(_ count: Int) -> Bool { bytes.count == count && bytes.last == Self.filling }

    /// The number, or 0 for bytes that are too short to contain one.
    var number: Int {
        get {
            guard bytes.count >= MemoryLayout<UInt64>.size else { return 0 }
            return Int(truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
        set {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(bitPattern: Int64(newValue)), as: UInt64.self) }
        }
    }

    /// The time when the value was sent, by the clock that all processes of the host share. It overwrites a part of the
    /// filling, and is only set by some measurements.
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
