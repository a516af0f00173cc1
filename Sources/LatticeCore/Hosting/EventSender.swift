/// Who sends events, as 16 bytes that nobody else has: they are made at random.
package struct EventSender: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes that are.
    package static let byteCount = 16

    /// The bytes as a number, the first one the most significant.
    package let value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// The sender with these bytes; nil unless they are 16.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(bytes.reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// A new one.
    package static func random() -> EventSender {
        var generator = SystemRandomNumberGenerator()
        return EventSender(UInt128.random(in: .min ... .max, using: &generator))
    }

    package var bytes: [UInt8] {
        (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// 32 hexadecimal digits, in small letters.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 2 * Self.byteCount - digits.utf8.count) + digits
    }

    /// Reads 32 hexadecimal digits.
    init?(digits: Substring) {
        guard digits.utf8.count == 2 * Self.byteCount, digits.allSatisfy(\.isHexDigit),
            let value = UInt128(digits, radix: 16)
        else { return nil }
        self.init(value)
    }
}
