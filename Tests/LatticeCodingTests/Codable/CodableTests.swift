import ByteTestSupport
import Foundation
import LatticeCoding
import Testing

@Suite struct CodableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Value: Codable & Equatable & Sendable>(_ value: Value, _ hex: String? = nil) {
            testDescription = "\(value)".prefix(60).description
            check = { () throws in
                let bytes = try CBOREncoder().encode(value)
                if let hex { #expect(Hex.digits(bytes) == hex) }
                #expect(try CBORDecoder().decode(Value.self, from: bytes) == value)
                #expect(try CBOREncoder().encode(value) == bytes)
            }
        }
    }

    @Test(arguments: [
        Case(Action.reset, "a1657265736574a0"), Case(Action.add(5), "a163616464a1625f3005"),
        Case(Action.scan(path: "/x", depth: nil), "a1647363616ea16470617468622f78"),
        Case(Record.example), Case([Record.example, Record.example]), Case(["k": Record.example]),
        Case([1: "a", -2: "b"]), Case([3: Record.example]), Case([Action.reset: 1]),
        Case(["01": 1, "1": 2, "": 3], "a36003613102623031 01".replacingOccurrences(of: " ", with: "")),
        Case(Int8.min), Case(Int16.min), Case(Int32.min), Case(Int64.min), Case(Int64.max), Case(UInt8.max),
        Case(UInt16.max), Case(UInt32.max), Case(UInt64.max), Case(Int128.min), Case(Int128.max), Case(UInt128.max),
        Case([Int?.none, 3], "82f603"), Case([[UInt8]]([[1], [2, 3]]), "824101420203"), Case(["b": [UInt8]([9])]),
        Case(URL(filePath: "/tmp/x")), Case(Data([1, 2, 3])), Case(Date(timeIntervalSinceReferenceDate: 1.5)),
        Case(UUID(uuidString: "00000000-0000-0000-0000-000000000001")), Case(Decimal(12.5)), Case(1...5),
        Case(Set([7])),
        Case([String: Int](uniqueKeysWithValues: (0..<500).map { ("key\($0)", $0) })),
        Case((0..<300).map { Record(identifier: $0, name: "n", flag: true, values: [], blob: [], tag: nil) }),
        Case([Float]([1.5, 3.4e38])), Case([true, false]), Case(String(repeating: "x", count: 70_000)),
    ])
    func roundTrip(_ example: Case) throws {
        try example.check()
    }

    @Test("An integer is read as a float only if they are equal")
    func integersAsFloats() throws {
        for number in [0, -1, 1 << 53, (1 << 53) + 2, -(1 << 53), -(1 << 53) - 2, .min] {
            #expect(try CBORDecoder().decode(Double.self, from: CBOREncoder().encode(number)) == Double(number))
        }
        for number in [(1 << 53) + 1, -(1 << 53) - 1, .max] {
            #expect(throws: DecodingError.self, "\(number)") {
                try CBORDecoder().decode(Double.self, from: CBOREncoder().encode(number))
            }
        }
    }

    private struct Optionals: Codable, Equatable {
        var bool: Bool?
        var text: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var int128: Int128?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var uint128: UInt128?

        static let names = Mirror(reflecting: Optionals()).children.compactMap(\.label)
    }

    @Test(
        "An optional of each type is read from its value, from null or from a missing key, but not from other types",
        arguments: Optionals.names
    )
    func optionals(name: String) throws {
        let value: [UInt8] = name == "bool" ? [0xf5] : name == "text" ? [0x61, 0x31] : [0x01]
        let key = try CBOREncoder().encode(name)
        let read = try CBORDecoder().decode(Optionals.self, from: [0xa1] + key + value)
        let (label, content) = try #require(Mirror(reflecting: read).children.first { $0.label == name })
        #expect(label == name)
        #expect(["Optional(1)", "Optional(1.0)", "Optional(true)", #"Optional("1")"#].contains("\(content)"))
        let written = name == "double" || name == "float" ? [0xf9, 0x3c, 0x00] : value
        #expect(try CBOREncoder().encode(read) == [0xa1] + key + written)
        #expect(try CBORDecoder().decode(Optionals.self, from: [0xa1] + key + [0xf6]) == Optionals())
        let error = #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Optionals.self, from: [0xa1] + key + [0x40])
        }
        #expect(error.map { CodingFailure.sentence($0).hasPrefix("at \(name): ") } == true)
    }

    @Test("Tags are skipped, also before a bignum, and a bignum is read only as a number")
    func tagsBeforeBignums() throws {
        for hex in ["c24105", "c1c24105", "c105", "05"] {
            #expect(try CBORDecoder().decode(Int128.self, from: Hex.bytes(hex)) == 5)
        }
        for hex in ["c2c24105", "c205"] {
            #expect(throws: DecodingError.self, "\(hex)") {
                try CBORDecoder().decode(Int128.self, from: Hex.bytes(hex))
            }
        }
    }

    @Test func keysAreSortedByTheirEncodedBytes() throws {
        let value = ["bb": 1, "a": 2, "c": 3, "aaa": 4, "": 5]
        #expect(
            Hex.digits(try CBOREncoder().encode(value)) == "a560056161026163036262620163616161 04".filter { $0 != " " }
        )
    }

    @Test func theLastOfTwoEqualKeysStays() throws {
        #expect(Hex.digits(try CBOREncoder().encode(Repeating())) == "a261610361 6202".filter { $0 != " " })
    }

    @Test func nestedContainersInTurn() throws {
        let bytes = try CBOREncoder().encode(Interleaved())
        let decoded = try CBORDecoder().decode([String: [String: Int]].self, from: bytes)
        #expect(decoded == ["x": ["a": 1, "b": 3], "y": ["a": 2], "z": [:]])
    }

    @Test func superEncodersKeepTheirPlace() throws {
        let bytes = try CBOREncoder().encode(Derived(base: 1, own: 2))
        #expect(Hex.digits(bytes) == "a2636f776e02657375706572a1646261736501")
        let decoded = try CBORDecoder().decode(Derived.self, from: bytes)
        #expect(decoded.base == 1 && decoded.own == 2)
    }

    @Test func aValueThatThrowsLeavesNoTrace() throws {
        #expect(Hex.digits(try CBOREncoder().encode(Forgiving())) == "a2616101616202")
        var bytes: [UInt8] = [1, 2]
        #expect(throws: Failing.Failure.self) { try CBOREncoder().encode(Failing(), into: &bytes) }
        #expect(bytes == [1, 2])
    }

    @Test func depthIsBoundedBothWays() throws {
        #expect(
            try CBORDecoder().decode(Tree.self, from: try CBOREncoder().encode(Tree(depth: 128))) == Tree(depth: 128)
        )
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Tree(depth: 129)) }
        let deep = [UInt8](repeating: 0x81, count: 128) + [0x80]
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(Tree.self, from: deep) }
    }
}

enum Action: Codable, Hashable, Sendable {
    case reset
    case add(Int)
    case scan(path: String, depth: Int?)
}

struct Record: Codable, Equatable, Sendable {
    static let example = Record(
        identifier: -5,
        name: "A name that is longer than a small string",
        flag: true,
        values: [1.5, -0.0, 1e300],
        blob: [1, 2, 3],
        tag: "t"
    )
    var identifier: Int
    var name: String
    var flag: Bool
    var values: [Double]
    var blob: [UInt8]
    var tag: String?
}

/// Arrays inside one another; depth 1 is an empty array.
final class Tree: Codable, Equatable, Sendable {
    let child: Tree?

    init(depth: Int) {
        child = depth > 1 ? Tree(depth: depth - 1) : nil
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        child = container.isAtEnd ? nil : try container.decode(Tree.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if let child { try container.encode(child) }
    }

    static func == (left: Tree, right: Tree) -> Bool { left.child == right.child }
}

private struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Repeating: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try container.encode(1, forKey: NameKey("a"))
        try container.encode(2, forKey: NameKey("b"))
        try container.encode(3, forKey: NameKey("a"))
    }
}

private struct Interleaved: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        var x = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("x"))
        var y = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("y"))
        _ = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("z"))
        try x.encode(1, forKey: NameKey("a"))
        try y.encode(2, forKey: NameKey("a"))
        try x.encode(3, forKey: NameKey("b"))
    }
}

private class Base: Codable {
    let base: Int
    init(base: Int) { self.base = base }
}

private final class Derived: Base {
    let own: Int

    init(base: Int, own: Int) {
        self.own = own
        super.init(base: base)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NameKey.self)
        own = try container.decode(Int.self, forKey: NameKey("own"))
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try super.encode(to: container.superEncoder())
        try container.encode(own, forKey: NameKey("own"))
    }
}

private struct Failing: Encodable {
    struct Failure: Error {}

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try container.encode([1: 2], forKey: NameKey("deep"))
        throw Failure()
    }
}

private struct Forgiving: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try container.encode(1, forKey: NameKey("a"))
        try? container.encode(Failing(), forKey: NameKey("f"))  // The point of the test.
        try container.encode(2, forKey: NameKey("b"))
    }
}
