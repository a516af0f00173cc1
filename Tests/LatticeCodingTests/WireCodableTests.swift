import ByteTestSupport
import Testing

@testable import LatticeCoding

/// Values that write themselves are the same bytes as by their `Codable`.
@Suite struct WireCodableTests {
    /// Written by hand, with a property of each sort.
    struct Card: WireCodable, Equatable {
        var id = 7
        var title = "A title of more than fifteen bytes"
        var owner: String?
        var x = 1.5
        var isOpen = true
        var votes: [Int] = []
        var data: [UInt8] = [1, 2]
        var counts: [String: Int] = ["b": 2, "a": 1]
        var tags: Set<String> = ["y", "x"]
        /// A property whose type is only `Codable`.
        var shape = Shape(sides: [1, 2])
        var parts: [Card] = []

        init(id: Int = 7) { self.id = id }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(id, forKey: "id")
                try map.encode(title, forKey: "title")
                try map.encodeIfPresent(owner, forKey: "owner")
                try map.encode(x, forKey: "x")
                try map.encode(isOpen, forKey: "isOpen")
                try map.encode(votes, forKey: "votes")
                try map.encode(data, forKey: "data")
                try map.encode(counts, forKey: "counts")
                try map.encode(tags, forKey: "tags")
                try map.encode(shape, forKey: "shape")
                try map.encode(parts, forKey: "parts")
            }
        }

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            id = try map.decode(forKey: "id")
            title = try map.decode(forKey: "title")
            owner = try map.decodeIfPresent(forKey: "owner")
            x = try map.decode(forKey: "x")
            isOpen = try map.decode(forKey: "isOpen")
            votes = try map.decode(forKey: "votes")
            data = try map.decode(forKey: "data")
            counts = try map.decode(forKey: "counts")
            tags = try map.decode(forKey: "tags")
            shape = try map.decode(forKey: "shape")
            parts = try map.decode(forKey: "parts")
            try reader.end(map)
        }
    }

    struct Shape: Codable, Equatable {
        var sides: [Int]
    }

    /// A copy of the type that is coded only by `Codable`.
    struct Plain: Codable {
        var id: Int
        var title: String
        var owner: String?
        var x: Double
        var isOpen: Bool
        var votes: [Int]
        var data: [UInt8]
        var counts: [String: Int]
        var tags: Set<String>
        var shape: Shape
        var parts: [Plain]

        init(_ card: Card) {
            (id, title, owner, x, isOpen) = (card.id, card.title, card.owner, card.x, card.isOpen)
            (votes, data, counts, tags, shape) = (card.votes, card.data, card.counts, card.tags, card.shape)
            parts = card.parts.map(Plain.init)
        }
    }

    private static func card(_ random: inout SplitMix, depth: Int = 2) -> Card {
        var card = Card(id: Int(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
        card.owner = random.below(2) == 0 ? nil : "é\(random.below(100))"
        card.x = Double(random.below(1_000)) / 8
        card.isOpen = random.below(2) == 0
        card.votes = (0..<random.below(40)).map { $0 * random.below(1_000) - 100 }
        card.counts = Dictionary((0..<random.below(40)).map { ("\(random.below(100))", $0) }) { first, _ in first }
        card.tags = Set((0..<random.below(40)).map { _ in "\(random.below(100))" })
        if depth > 0 { card.parts = (0..<random.below(3)).map { _ in Self.card(&random, depth: depth - 1) } }
        return card
    }

    @Test("A value that encodes itself has the same bytes as with Codable", arguments: 0..<60)
    func sameBytes(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let card = Self.card(&random)
        let bytes = try CBOREncoder().encode(card)
        #expect(bytes == (try CBOREncoder().encode(Plain(card))))
        #expect(try CBORDecoder().decode(Card.self, from: bytes) == card)
        // Inside of what does not write itself.
        let inside = try CBOREncoder().encode(["a": [card]])
        #expect(inside == [0xa1, 0x61, 0x61, 0x81] + bytes)
        #expect(try CBORDecoder().decode([String: [Card]].self, from: inside) == ["a": [card]])
    }

    @Test("Truncated or changed bytes are decoded by both ways, or refused by both", arguments: 0..<20)
    func sameRefusals(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let bytes = try CBOREncoder().encode(Self.card(&random, depth: 1))
        for end in bytes.indices {
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(Card.self, from: [UInt8](bytes[..<end])) }
        }
        for _ in 0..<300 {
            let changed = random.mutation(of: [bytes])
            let plain = try? CBOREncoder().encode(CBORDecoder().decode(Plain.self, from: changed))
            let own = try? CBOREncoder().encode(CBORDecoder().decode(Card.self, from: changed))
            #expect(own == plain, "\(Hex.digits(changed))")
        }
    }

    @Test("Malformed bytes are reported as malformed, and not as the first wrong value in them")
    func malformed() throws {
        // The cases are: an unused entry that is truncated, after an entry of a wrong type; a second value; an unused
        // entry that is nested too deep; tags around the value that are nested too deep.
        let (arrays, tags) = (String(repeating: "81", count: 127), String(repeating: "c1", count: 128))
        let cases: [(String, CBORError)] = [
            ("a2 626964 6131 6178", .truncated(at: 8, needed: 1, remaining: 0)),
            ("a0 00", .trailingBytes(1, at: 1)),
            ("a1 6178 \(arrays) 80", .tooDeep(at: 130, maximum: 128)),
            ("\(tags) a0", .tooDeep(at: 128, maximum: 128)),
        ]
        for (hex, fault) in cases {
            let error = #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(Card.self, from: Hex.bytes(hex.filter { $0 != " " }))
            }
            #expect(error.map(CodingFailure.sentence) == "at its top: \(fault.sentence)")
        }
    }

    /// Takes whatever cannot be read for something else.
    private struct Careless: WireCodable {
        var id: Int

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            id = (try? map.decode(forKey: "id")) ?? -1
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws { writer.encodeNil() }
    }

    @Test("Malformed bytes are refused, although the value ignores decoding errors", arguments: ["00", "61", "82"])
    func swallowedErrors(end: String) throws {
        #expect(try CBORDecoder().decode(Careless.self, from: Hex.bytes("a1626964f6")).id == -1)
        let bytes = Hex.bytes("a2626964f661" + end)
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(Careless.self, from: bytes) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(Careless.self, from: Hex.bytes("a1626964")) }
    }

    /// Makes little of what goes wrong inside of others.
    private struct CarelessOuter: WireCodable {
        var cards: [Card]?
        var card: Card?

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            cards = try? map.decode([Card].self, forKey: "v")
            card = try? map.decode(Card.self, forKey: "w")
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws { writer.encodeNil() }
    }

    @Test(
        "Bytes whose end looks complete are refused if an array or a map inside is truncated",
        arguments: ["a1 6176 82 a1 6178 01", "a1 6177 a2 6178 01", "a2 6176 82 a0 6177 a1 6178 01", "a1 6177 a1 6178"]
    )
    func cutOffInside(hex: String) {
        let bytes = Hex.bytes(hex.filter { $0 != " " })
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(CarelessOuter.self, from: bytes) }
    }

    @Test("Tags count as nesting levels also around a value that decodes itself") func tags() throws {
        let card = try CBOREncoder().encode(Card())
        #expect(try CBORDecoder().decode(Card.self, from: Hex.bytes("c1") + card) == Card())
        let error = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Card.self, from: [UInt8](repeating: 0xc1, count: 128) + card)
        }
        #expect(error.map(CodingFailure.sentence)?.contains(" 128 levels") == true)
    }

    @Test("Keys may be stored and requested in any order, also keys that are missing")
    func anyOrder() throws {
        let keys: [(name: StaticString, bytes: String, value: Int?)] = [
            ("a", "6161", 1), ("b", "6162", nil), ("c", "6163", 2), ("bb", "626262", 3), ("cc", "626363", nil),
        ]
        for present in Self.orders(of: keys.filter { $0.value != nil }) {
            let bytes = Hex.bytes("a3" + present.map { "\($0.bytes)0\($0.value ?? 0)" }.joined())
            try bytes.withBytes { bytes in
                for asked in Self.orders(of: keys) {
                    var reader = CBORReader(bytes)
                    var map = try reader.decodeMap()
                    for key in asked {
                        #expect(try map.decodeIfPresent(Int.self, forKey: key.name) == key.value)
                    }
                    try reader.end(map)
                    #expect(reader.isAtEnd)
                }
            }
        }
    }

    private static func orders<Element>(of elements: [Element]) -> [[Element]] {
        guard !elements.isEmpty else { return [[]] }
        return elements.indices.flatMap { index in
            var others = elements
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }

    /// Writes one key twice.
    private struct Repeating: WireCodable {
        init() {}

        init(from reader: inout CBORReader) throws {
            let map = try reader.decodeMap()
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(1, forKey: "a")
                try map.encode(2, forKey: "b")
                try map.encode(3, forKey: "a")
            }
        }
    }

    /// A value whose keys have every possible form: a short one, a long one, and a single scalar that is not a pointer
    /// to memory.
    private struct Keyed: WireCodable, Equatable {
        static let scalar = StaticString(unicodeScalarLiteral: "é")

        var short = 1
        var scalar = 2
        var long = 3

        init() {}

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            short = try map.decode(forKey: "key")
            scalar = try map.decode(forKey: Self.scalar)
            long = try map.decode(forKey: "a key that is longer than 23 bytes")
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(short, forKey: "key")
                try map.encode(scalar, forKey: Self.scalar)
                try map.encode(long, forKey: "a key that is longer than 23 bytes")
            }
        }
    }

    @Test("A key may be a single scalar, or long")
    func keys() throws {
        let bytes = try CBOREncoder().encode(Keyed())
        #expect(bytes == (try CBOREncoder().encode(["key": 1, "é": 2, "a key that is longer than 23 bytes": 3])))
        #expect(try CBORDecoder().decode(Keyed.self, from: bytes) == Keyed())
    }

    @Test("Of two equal keys the last one is written, and reading two equal keys is an error")
    func equalKeys() throws {
        #expect(Hex.digits(try CBOREncoder().encode(Repeating())) == "a2616103616202")
        let error = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Repeating.self, from: Hex.bytes("a2616101616102"))
        }
        #expect(error.map(CodingFailure.sentence) == "at its top: \(CBORError.duplicateKey("a", at: 4))")
    }

    @Test(
        "An error says where in the value it is",
        arguments: [
            ("a0", "at id: There is no value for the key 'id'."),
            ("a1626964 6131", "at id: The value at byte 4 is a text string, not an integer."),
            ("a1626964 f6", "at id: The value at byte 4 is null, not an integer."),
            ("01", "at its top: The value at byte 0 is an unsigned integer, not a map."),
        ]
    )
    func places(hex: String, sentence: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Card.self, from: Hex.bytes(hex.filter { $0 != " " }))
        }
        #expect(error.map(CodingFailure.sentence) == sentence)
        let inside = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(
                [String: [Card]].self,
                from: [0xa1, 0x61, 0x6b, 0x81] + Hex.bytes(hex.filter { $0 != " " })
            )
        }
        #expect(inside.map { CodingFailure.sentence($0).hasPrefix("at k.0") } == true)
    }

    /// Maps inside one another, as many as it says.
    private struct Nest: WireCodable {
        var depth: Int

        init(depth: Int) { self.depth = depth }

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            depth = 1 + (try map.decodeIfPresent(Nest.self, forKey: "n")?.depth ?? 0)
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                if depth > 1 { try map.encode(Nest(depth: depth - 1), forKey: "n") }
            }
        }
    }

    @Test("Depth is bounded both ways, also where both kinds of coding are nested in each other")
    func depth() throws {
        let bytes = try CBOREncoder().encode(Nest(depth: 128))
        #expect(try CBORDecoder().decode(Nest.self, from: bytes).depth == 128)
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Nest(depth: 129)) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode([Nest(depth: 128)]) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode([Nest].self, from: [0x81] + bytes) }
    }
}
