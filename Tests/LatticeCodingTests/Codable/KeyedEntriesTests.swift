import ByteTestSupport
import Testing

@testable import LatticeCoding

/// Keys of maps: in which order they are, and that each is found.
@Suite struct KeyedEntriesTests {
    /// Texts that are alike in their first bytes, up to lengths whose heads have three bytes.
    private static func names(_ random: inout SplitMix, count: Int) -> [String] {
        (0..<count).map { _ in
            let length = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 23, 24, 254, 255, 256, 300][random.below(17)]
            return String((0..<length).map { _ in ["a", "b", "\u{7f}", "é"][random.below(43) / 14] as Character })
        }
    }

    @Test("Different key ranks have the order of the encoded keys, and equal whole ranks are equal keys")
    func ranks() throws {
        var random = SplitMix(seed: 1)
        let names = Self.names(&random, count: 200)
        for (first, second) in names.flatMap({ first in names.map { (first, $0) } }) {
            let ranks = [first, second].map { text in Array(text.utf8).withBytes { KeyRank($0) } }
            let isBefore =
                first.utf8.count == second.utf8.count
                ? first.utf8.lexicographicallyPrecedes(second.utf8) : first.utf8.count < second.utf8.count
            if ranks[0] != ranks[1] { #expect((ranks[0] < ranks[1]) == isBefore, "\(first) \(second)") }
            if ranks[0] == ranks[1], ranks[0].isWhole { #expect(first == second) }
            #expect(ranks[0].isWhole == (1...7).contains(first.utf8.count))
        }
    }

    @Test("Each key is found in small and large maps, and a missing key is not", arguments: 0..<60)
    func found(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let count = random.below(60)
        var map = Dictionary(Self.names(&random, count: count).map { ($0, random.below(1_000)) }) { $1 }
        // Numbers as keys answer to their notation.
        let numbers = seed % 3 == 0 ? [-3, 0, 24, -300, .max, .min] : []
        var bytes = CBORWriter()
        bytes.append(mapHeader: map.count + numbers.count)
        for (name, value) in map {
            bytes.append(text: name)
            bytes.append(integer: value)
        }
        for number in numbers {
            bytes.append(integer: number)
            bytes.append(integer: number)
            map["\(number)"] = number
        }
        try bytes.bytes.withBytes { bytes in
            var reader = CBORReader(bytes)
            let entries = try KeyedEntries(&reader, counting: nil)
            #expect(reader.isAtEnd)
            var next = 0
            // In their order, as a dictionary asks for them, and in none.
            let inOrder = entries.entries.indices.map { entries.name(of: $0, bytes) }
            for name in inOrder + Self.names(&random, count: 100) + map.keys + ["+3", "-0", "03", "1"] {
                let value = try entries.value(of: name, bytes, &next).map { offset in
                    var reader = CBORReader(bytes, offset: offset)
                    return try reader.decode(Int.self)
                }
                #expect(value == map[name], "\(name)")
            }
        }
    }

    @Test(
        "A key that is no valid text is refused, also a short one",
        arguments: ["61ff", "62c328", "67616161616161ff"]
    )
    func invalidText(key: String) throws {
        Hex.bytes("a1\(key)00").withBytes { bytes in
            let error = #expect(throws: CBORError.self) {
                var reader = CBORReader(bytes)
                _ = try KeyedEntries(&reader, counting: nil)
            }
            #expect(error?.sentence == CBORError.invalidUTF8(at: 1).sentence)
        }
    }

    @Test("Many numeric keys are each found by binary search, not by a scan", .timeLimit(.minutes(1)))
    func manyNumbers() throws {
        let count = 20_000
        var bytes = CBORWriter()
        bytes.append(mapHeader: count)
        for number in 0..<count {
            bytes.append(integer: number)
            bytes.append(integer: number)
        }
        #expect(try CBORDecoder().decode([Int: Int].self, from: bytes.bytes).count == count)
    }
}
