import ByteTestSupport
import LatticeCoding
import Testing

/// A nested container that is asked for again under its key is the first one, as JSONEncoder has it.
@Suite struct NestedAgainTests {
    private typealias Container = KeyedEncodingContainer<Key>

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        init(_ name: String) { self.init(stringValue: name) }
    }

    /// Encodes what a closure says.
    private struct Written: Encodable {
        let write: @Sendable (inout Container) throws -> Void

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try write(&container)
        }
    }

    private func expect(
        _ value: [String: [String: Int]],
        _ write: @escaping @Sendable (inout Container) throws -> Void
    ) throws {
        let bytes = try CBOREncoder().encode(Written(write: write))
        #expect(try CBORDecoder().decode([String: [String: Int]].self, from: bytes) == value)
        // Inside of others too, and behind what was written before.
        let both = try CBOREncoder().encode([Written(write: write), Written(write: write)])
        #expect(both == [0x82] + bytes + bytes)
    }

    @Test("A nested map keeps the entries that were written under its key before (F97)") func maps() throws {
        try expect(["a": ["x": 1, "y": 2]]) { container in
            for (name, number) in [("x", 1), ("y", 2)] {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
                try nested.encode(number, forKey: Key(name))
            }
        }
    }

    @Test("A nested map keeps its entries with other keys in between, and when two maps are written in turn (F97)")
    func inTurn() throws {
        try expect(["a": ["x": 1, "y": 3, "z": 4], "b": ["x": 2], "c": [:]]) { container in
            var first = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try first.encode(1, forKey: Key("x"))
            var other = container.nestedContainer(keyedBy: Key.self, forKey: Key("b"))
            try other.encode(2, forKey: Key("x"))
            var again = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try again.encode(3, forKey: Key("y"))
            _ = container.nestedContainer(keyedBy: Key.self, forKey: Key("c"))
            try first.encode(4, forKey: Key("z"))
        }
    }

    @Test("Of two values under one key in a nested map, the later one stays (F97)") func laterValue() throws {
        try expect(["a": ["x": 2]]) { container in
            for number in 1...2 {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
                try nested.encode(number, forKey: Key("x"))
            }
        }
    }

    @Test("A nested array continues where it ended (F97)") func arrays() throws {
        let bytes = try CBOREncoder().encode(
            Written { container in
                for number in 1...3 {
                    var nested = container.nestedUnkeyedContainer(forKey: Key("a"))
                    try nested.encode(number)
                }
                try container.encode(true, forKey: Key("b"))
            }
        )
        #expect(Hex.digits(bytes) == "a26161830102036162f5")
    }

    @Test("Nested containers continue at any depth, and also through a super encoder (F97)") func deep() throws {
        let bytes = try CBOREncoder().encode(
            Written { container in
                for number in 1...3 {
                    var outer = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
                    var inner = outer.nestedContainer(keyedBy: Key.self, forKey: Key("b"))
                    var numbers = inner.nestedUnkeyedContainer(forKey: Key("n"))
                    try numbers.encode(number)
                    try inner.encode(number, forKey: Key("\(number)"))
                }
                var parent = container.superEncoder().container(keyedBy: Key.self)
                for name in ["x", "y"] {
                    var nested = parent.nestedContainer(keyedBy: Key.self, forKey: Key("s"))
                    try nested.encode(1, forKey: Key(name))
                }
            }
        )
        // {"a": {"b": {"1": 1, "2": 2, "3": 3, "n": [1, 2, 3]}}, "super": {"s": {"x": 1, "y": 1}}}
        let expected = "a26161a16162a4613101613202613303616e83010203657375706572a16173a2617801617901"
        #expect(Hex.digits(bytes) == expected)
    }

    @Test("Keys that differ in normalisation are two keys (F97)") func forms() throws {
        let bytes = try CBOREncoder().encode(
            Written { container in
                for name in ["\u{E9}", "e\u{301}", "\u{E9}"] {
                    var nested = container.nestedUnkeyedContainer(forKey: Key(name))
                    try nested.encode(1)
                }
            }
        )
        #expect(Hex.digits(bytes) == "a262c3a982010163 65cc818101".replacing(" ", with: ""))
    }

    @Test("A map and an array under one key are an error (F97)") func twoKinds() {
        #expect(throws: EncodingError.self) {
            try CBOREncoder().encode(
                Written { container in
                    _ = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
                    _ = container.nestedUnkeyedContainer(forKey: Key("a"))
                }
            )
        }
    }
}
