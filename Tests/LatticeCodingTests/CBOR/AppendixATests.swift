import ByteTestSupport
import LatticeCoding
import Testing

/// The examples of RFC 8949 Appendix A that a `Codable` value can stand for.
@Suite struct AppendixATests {
    struct Example: Sendable, CustomTestStringConvertible {
        let hex: String
        let check: @Sendable ([UInt8]) throws -> Void
        var testDescription: String { hex }
    }

    /// Encoded as stated, and decoded to the same value.
    private static func both<Value: Codable & Equatable & Sendable>(_ hex: String, _ value: Value) -> Example {
        Example(hex: hex) { bytes throws in
            #expect(Hex.digits(try CBOREncoder().encode(value)) == hex)
            #expect(try CBORDecoder().decode(Value.self, from: bytes) == value)
        }
    }

    /// Decoded only: not the shortest form, or a form that this encoder has no use for.
    private static func decoded<Value: Codable & Equatable & Sendable>(_ hex: String, _ value: Value) -> Example {
        Example(hex: hex) { bytes throws in
            #expect(try CBORDecoder().decode(Value.self, from: bytes) == value)
        }
    }

    private static func notANumber(_ hex: String) -> Example {
        Example(hex: hex) { bytes throws in
            #expect(try CBORDecoder().decode(Double.self, from: bytes).isNaN)
            #expect(try CBORDecoder().decode(Float.self, from: bytes).isNaN)
            #expect(Hex.digits(try CBOREncoder().encode(Double.nan)) == "f97e00")
            #expect(Hex.digits(try CBOREncoder().encode(-Float.nan)) == "f97e00")
        }
    }

    /// Well-formed, and refused all the same.
    private static func indefinite<Value: Codable & Sendable>(_ hex: String, _ type: Value.Type) -> Example {
        Example(hex: hex) { bytes throws in
            let error = #expect(throws: DecodingError.self) { try CBORDecoder().decode(type, from: bytes) }
            #expect(error.map(CodingFailure.sentence)?.contains(" has no length") == true)
        }
    }

    @Test(arguments: integers + floats + simple + strings + containers + indefiniteLengths)
    func example(_ example: Example) throws {
        try example.check(Hex.bytes(example.hex))
    }

    static let integers: [Example] = [
        both("00", 0), both("01", 1), both("0a", 10), both("17", 23), both("1818", 24), both("1819", 25),
        both("1864", 100), both("1903e8", 1_000), both("1a000f4240", 1_000_000),
        both("1b000000e8d4a51000", 1_000_000_000_000), both("1bffffffffffffffff", UInt64.max),
        both("c249010000000000000000", UInt128(UInt64.max) + 1),
        both("3bffffffffffffffff", -1 - Int128(UInt64.max)),
        both("c349010000000000000000", -2 - Int128(UInt64.max)),
        both("20", -1), both("29", -10), both("3863", -100), both("3903e7", -1_000),
    ]

    static let floats: [Example] = [
        both("f90000", 0.0), both("f98000", -0.0), both("f93c00", 1.0), both("fb3ff199999999999a", 1.1),
        both("f93e00", 1.5), both("f97bff", 65_504.0), both("fa47c35000", 100_000.0),
        both("fa7f7fffff", 3.402_823_466_385_288_6e+38), both("fb7e37e43c8800759c", 1.0e+300),
        both("f90001", 5.960_464_477_539_063e-8), both("f90400", 0.000_061_035_156_25), both("f9c400", -4.0),
        both("fbc010666666666666", -4.1), both("f97c00", Double.infinity), both("f9fc00", -Double.infinity),
        both("f97c00", Float.infinity), both("f93e00", Float(1.5)),
        decoded("fa7f800000", Double.infinity), decoded("faff800000", -Double.infinity),
        decoded("fb7ff0000000000000", Double.infinity), decoded("fbfff0000000000000", -Double.infinity),
        notANumber("f97e00"), notANumber("fa7fc00000"), notANumber("fb7ff8000000000000"),
    ]

    static let simple: [Example] = [
        both("f4", false), both("f5", true), both("f6", Int?.none), decoded("f7", Int?.none),
        decoded("c074323031332d30332d32315432303a30343a30305a", "2013-03-21T20:04:00Z"),
        decoded("c11a514b67b0", 1_363_896_240), decoded("c1fb41d452d9ec200000", 1_363_896_240.5),
        decoded("d74401020304", [1, 2, 3, 4] as [UInt8]), decoded("d818456449455446", Hex.bytes("6449455446")),
        decoded("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "http://www.example.com"),
    ]

    static let strings: [Example] = [
        both("40", [] as [UInt8]), both("4401020304", [1, 2, 3, 4] as [UInt8]), both("60", ""), both("6161", "a"),
        both("6449455446", "IETF"), both("62225c", "\"\\"), both("62c3bc", "\u{fc}"), both("63e6b0b4", "\u{6c34}"),
        both("64f0908591", "\u{10151}"),
    ]

    static let containers: [Example] = [
        both("80", [] as [Int]), both("83010203", [1, 2, 3]), both("8301820203820405", Nested.example),
        both("98190102030405060708090a0b0c0d0e0f101112131415161718181819", Array(1...25)),
        both("a0", [:] as [String: Int]), decoded("a201020304", [1: 2, 3: 4]),
        both("a26161016162820203", LettersAB(a: 1, b: [2, 3])), both("826161a161626163", Pair("a", ["b": "c"])),
        both("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
    ]

    static let indefiniteLengths: [Example] = [
        indefinite("5f42010243030405ff", [UInt8].self), indefinite("7f657374726561646d696e67ff", String.self),
        indefinite("9fff", [Int].self), indefinite("9f018202039f0405ffff", Nested.self),
        indefinite("9f01820203820405ff", Nested.self), indefinite("83018202039f0405ff", Nested.self),
        indefinite("83019f0203ff820405", Nested.self),
        indefinite("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", [Int].self),
        indefinite("bf61610161629f0203ffff", LettersAB.self), indefinite("826161bf61626163ff", [String].self),
        indefinite("bf6346756ef563416d7421ff", [String: Int].self),
    ]
}

private struct LettersAB: Codable, Equatable {
    var a: Int
    var b: [Int]
}

/// [1, [2, 3], [4, 5]]
private struct Nested: Codable, Equatable {
    static let example = Nested(first: 1, second: [2, 3], third: [4, 5])
    var first: Int
    var second: [Int]
    var third: [Int]

    init(first: Int, second: [Int], third: [Int]) {
        (self.first, self.second, self.third) = (first, second, third)
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        first = try container.decode(Int.self)
        second = try container.decode([Int].self)
        var nested = try container.nestedUnkeyedContainer()
        third = [try nested.decode(Int.self), try nested.decode(Int.self)]
        #expect(nested.isAtEnd && container.isAtEnd)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(first)
        try container.encode(second)
        var nested = container.nestedUnkeyedContainer()
        for element in third { try nested.encode(element) }
    }
}

/// ["a", {"b": "c"}]
private struct Pair: Codable, Equatable {
    var name: String
    var values: [String: String]

    init(_ name: String, _ values: [String: String]) {
        (self.name, self.values) = (name, values)
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        name = try container.decode(String.self)
        values = try container.decode([String: String].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(name)
        try container.encode(values)
    }
}
