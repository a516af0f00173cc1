/// Text with as few bits per byte as distinguish the different bytes. Hexadecimal digits take four bits, and most names
/// six.
///
/// The format is the number of different bytes, these bytes in order, and then the position of each byte of the text
/// among them, lowest bits first.
enum PackedText {
    static func pack(_ text: [UInt8]) -> [UInt8] {
        var places: [UInt8?] = Array(repeating: nil, count: 256)
        for byte in text { places[Int(byte)] = 0 }
        let alphabet = (UInt8.min...UInt8.max).filter { places[Int($0)] != nil }
        for (place, byte) in alphabet.enumerated() { places[Int(byte)] = UInt8(place) }
        var packed: [UInt8] = []
        packed.appendNumber(alphabet.count)
        packed += alphabet
        let width = width(of: alphabet.count)
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            bits |= UInt32(places[Int(byte)] ?? 0) << UInt32(count)
            count += width
            guard count >= 8 else { continue }
            packed.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
        if count > 0 { packed.append(UInt8(truncatingIfNeeded: bits)) }
        return packed
    }

    /// Returns the number of bits for a position among `count` bytes.
    private static func width(of count: Int) -> Int {
        count > 2 ? Int.bitWidth - (count - 1).leadingZeroBitCount : 1
    }

    /// Reads the text from its beginning.
    struct Reader: Sendable {
        private let packed: [UInt8]
        private let alphabet: [UInt8]
        private let width: Int
        private var offset: Int
        private var bits: UInt32 = 0
        private var count = 0

        /// - Parameters:
        ///   - bytes: The packed data.
        ///   - offset: The position at which the text begins.
        init(_ bytes: [UInt8], at offset: Int) {
            var reader = PackedReader(bytes, at: offset)
            alphabet = Array(reader.bytes(reader.length(atMost: 256) ?? 0) ?? [])
            width = PackedText.width(of: alphabet.count)
            packed = bytes
            self.offset = reader.offset
        }

        /// Reads the next bytes, or returns nil if there are fewer.
        mutating func next(_ length: Int) -> [UInt8]? {
            guard length <= (8 * (packed.count - offset) + count) / width else { return nil }
            var text: [UInt8] = []
            text.reserveCapacity(length)
            for _ in 0..<length {
                if count < width {
                    bits |= UInt32(packed[offset]) << UInt32(count)
                    offset += 1
                    count += 8
                }
                let place = Int(bits & (1 << UInt32(width) - 1))
                guard place < alphabet.count else { return nil }
                text.append(alphabet[place])
                bits >>= UInt32(width)
                count -= width
            }
            return text
        }
    }
}
