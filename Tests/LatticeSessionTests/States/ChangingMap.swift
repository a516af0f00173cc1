import LatticeCore
import LatticeWire

/// A state whose changes are known as bytes: numbers below 24 by keys of three letters.
struct ChangingMap: Sendable, Equatable {
    private static let keys = 64

    private(set) var numbers: [Int: UInt8]

    /// Creates a map with this many entries of five bytes each.
    init(count: Int = 40) {
        numbers = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 0) })
    }

    /// - Parameter bytes: ``encoded``.
    init(decoding bytes: [UInt8]) {
        numbers = [:]
        let entries = bytes.dropFirst(bytes.first == 0xb8 ? 2 : 1)
        // A head, a letter, two digits, a number.
        for start in stride(from: entries.startIndex, to: entries.endIndex, by: 5) {
            numbers[Int(entries[start + 2] - 48) * 10 + Int(entries[start + 3] - 48)] = entries[start + 4]
        }
    }

    /// The encoded map.
    var encoded: [UInt8] {
        numbers.sorted { $0.key < $1.key }.reduce(into: Self.head(0xa0, numbers.count)) { bytes, entry in
            bytes += Self.key(entry.key) + [entry.value]
        }
    }

    /// Sets one entry.
    ///
    /// - Returns: That change, encoded.
    mutating func set(_ key: Int, to number: UInt8) -> [UInt8] {
        numbers[key] = number
        return Self.change([key: number])
    }

    /// Changes some random entries.
    ///
    /// - Returns: The encoded change.
    mutating func change(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var changed: [Int: UInt8?] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let key = Int.random(in: 0..<Self.keys, using: &generator)
            let number = Bool.random(using: &generator) ? UInt8.random(in: 0..<24, using: &generator) : nil
            numbers[key] = number
            changed[key] = .some(number)
        }
        return Self.change(changed)
    }

    private static func change(_ changed: [Int: UInt8?]) -> [UInt8] {
        changed.sorted { $0.key < $1.key }.reduce(into: [0x82, 0x01] + head(0xa0, changed.count)) { bytes, entry in
            bytes += key(entry.key) + (entry.value.map { [0x82, 0x00, $0] } ?? [0xf6])
        }
    }

    private static func key(_ index: Int) -> [UInt8] {
        [0x63] + Array("k\(index / 10)\(index % 10)".utf8)
    }

    private static func head(_ type: UInt8, _ count: Int) -> [UInt8] {
        count < 24 ? [type | UInt8(count)] : [type | 24, UInt8(count)]
    }
}

extension [UInt8] {
    /// Returns this state with the changes applied in order.
    func applying(_ changes: [[UInt8]]) throws -> [UInt8] {
        try changes.reduce(self) { try StateChange($1).apply(to: $0, maximum: .max) }
    }
}
