import ByteTestSupport
import LatticeCoding
import Testing

/// Collections that the coder goes over itself are the same bytes, and the same errors, as by their own code.
@Suite struct DirectCoderTests {
    /// Hands its encoder and decoder on to the value, which then goes over itself.
    private struct Plain<Value: Codable>: Codable {
        var value: Value

        init(_ value: Value) { self.value = value }

        init(from decoder: any Decoder) throws { value = try Value(from: decoder) }

        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    struct Collection: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let check: @Sendable (inout SplitMix) throws -> Void

        /// - Parameter isOrdered: a set has its order by itself only as a value, so its own code does not sort it.
        init<Value: Codable & Equatable & SendableMetatype>(
            _ make: @escaping @Sendable (inout SplitMix) -> Value,
            isOrdered: Bool = true
        ) {
            testDescription = "\(Value.self)"
            check = { random in
                let value = make(&random)
                let bytes = try CBOREncoder().encode(value)
                if isOrdered { #expect(try CBOREncoder().encode(Plain(value)) == bytes) }
                #expect(try CBORDecoder().decode(Value.self, from: bytes) == value)
                #expect(try CBORDecoder().decode(Plain<Value>.self, from: bytes).value == value)
                // Inside of others it has its place and its end.
                let nested = try CBOREncoder().encode(["a": [value, value]])
                #expect(nested == [0xa1, 0x61, 0x61, 0x82] + bytes + bytes)
                #expect(try CBORDecoder().decode([String: [Value]].self, from: nested) == ["a": [value, value]])
                for _ in 0..<40 {
                    let changed = random.mutation(of: [bytes])
                    let direct = Result { try CBORDecoder().decode(Value.self, from: changed) }
                    let plain = Result { try CBORDecoder().decode(Plain<Value>.self, from: changed).value }
                    #expect(Self.outcome(direct) == Self.outcome(plain), "\(Hex.digits(changed))")
                }
                for end in Set([0, bytes.count / 2, bytes.count - 1]) where end < bytes.count {
                    #expect(throws: DecodingError.self) {
                        try CBORDecoder().decode(Value.self, from: [UInt8](bytes[..<end]))
                    }
                }
            }
        }

        private static func outcome<Value: Encodable>(_ result: Result<Value, any Error>) -> String {
            switch result {
            case .success(let value): (try? CBOREncoder().encode(value)).map(Hex.digits) ?? "cannot be encoded"
            case .failure(let error): CodingFailure.sentence(error)
            }
        }
    }

    static let collections = [
        Collection { random in (0..<random.count).map { _ in random.text } },
        Collection { random in (0..<random.count).map { _ in random.number } },
        Collection { random in (0..<random.count).map { _ in random.number.isMultiple(of: 2) } },
        Collection { random in (0..<random.count).map { _ in Float(random.number) / 3 } },
        Collection { random in (0..<random.count).map { _ in Double(random.number) / 3 } },
        Collection { random in (0..<random.count).map { _ in UInt16(truncatingIfNeeded: random.number) } },
        Collection { random in (0..<random.count).map { _ in Int8(truncatingIfNeeded: random.number) } },
        Collection { random in (0..<random.count).map { _ in UInt64(truncatingIfNeeded: random.number) } },
        Collection({ random in Set((0..<random.count).map { _ in random.number }) }, isOrdered: false),
        Collection({ random in Set((0..<random.count).map { _ in random.text }) }, isOrdered: false),
        Collection({ random in Set((0..<random.count).map { _ in Double(random.number) / 3 }) }, isOrdered: false),
        Collection { random in random.dictionary { random in (random.text, random.number) } },
        Collection { random in random.dictionary { random in (random.text, random.text) } },
        Collection { random in random.dictionary { random in (random.text, Double(random.number) / 3) } },
        Collection { random in random.dictionary { random in (random.text, random.number.isMultiple(of: 2)) } },
        Collection { random in random.dictionary { random in (random.number, random.number) } },
        Collection { random in random.dictionary { random in (random.number, random.text) } },
        Collection { random in random.dictionary { random in (random.text, [random.text]) } },
        Collection { random in random.dictionary { random in (random.text, [random.text: random.number]) } },
        Collection { random in random.dictionary { random in (random.text, random.number == 0 ? nil : 1) } },
    ]

    @Test("A collection has the same bytes and errors as with its own Codable code", arguments: collections)
    func isTheSame(_ collection: Collection) throws {
        for seed in 0..<30 {
            var random = SplitMix(seed: UInt64(seed))
            try collection.check(&random)
        }
    }

    @Test(
        "The elements of a set are sorted by their bytes, however many and however similar",
        arguments: [2, 24, 25, 600, 5_000]
    )
    func elementsAscend(count: Int) throws {
        var random = SplitMix(seed: UInt64(count))
        let beginnings = ["", "the same beginning of sixteen and more bytes ", String(repeating: "x", count: 700)]
        let set = Set((0..<count).map { _ in beginnings[random.below(3)] + "\(random.number)" })
        let elements = try set.map { try CBOREncoder().encode($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        var writer = CBORWriter()
        writer.append(arrayHeader: set.count)
        #expect(try CBOREncoder().encode(set) == writer.bytes + elements.joined())
    }

    @Test("Of keys that are equal as text and differ in bytes, the later one is read")
    func equalKeys() throws {
        // "é" in one scalar, and as "e" with an accent.
        let bytes = Hex.bytes("a262c3a90163 65cc8102".filter { $0 != " " })
        #expect(try CBORDecoder().decode([String: Int].self, from: bytes) == ["\u{e9}": 2])
        #expect(try CBORDecoder().decode(Plain<[String: Int]>.self, from: bytes).value == ["\u{e9}": 2])
    }
}

extension SplitMix {
    fileprivate var count: Int {
        mutating get { [0, 1, 5, 23, 24, 25, 70, 300][below(8)] }
    }

    /// Small ones, and of each width.
    fileprivate var number: Int {
        mutating get { below(2) == 0 ? below(40) - 10 : Int(truncatingIfNeeded: next() >> UInt64(below(64))) }
    }

    fileprivate var text: String {
        mutating get {
            let letters = Array("abü日😀")
            let text = String((0..<[0, 1, 3, 8, 30][below(5)]).map { _ in letters[below(letters.count)] })
            return below(2) == 0 ? text : "a long beginning \(number)"
        }
    }

    fileprivate mutating func dictionary<Key: Hashable, Value>(
        _ pair: (inout SplitMix) -> (Key, Value)
    ) -> [Key: Value] {
        Dictionary((0..<count).map { _ in pair(&self) }) { first, _ in first }
    }
}
