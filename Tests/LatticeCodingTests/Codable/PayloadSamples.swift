import ByteTestSupport
import Foundation
import LatticeCoding

/// Values of the application with their bytes, as `Protocols/vectors/payloads.json` has them.
enum PayloadSamples {
    /// A value, how the vectors write it, and its encoding.
    struct Written: Sendable {
        let name: String
        /// JSON, see Protocols/vectors/README.md.
        let view: String
        let encode: @Sendable () throws -> [UInt8]
        /// Whether those bytes are read as the value again.
        let comesBack: @Sendable ([UInt8]) throws -> Bool

        init<Value: Codable & Equatable & Sendable>(_ name: String, _ value: Value, _ view: String) {
            self.name = name
            self.view = view
            encode = { () throws in try CBOREncoder().encode(value) }
            comesBack = { bytes throws in try CBORDecoder().decode(Value.self, from: bytes) == value }
        }
    }

    static let written: [Written] = [
        Written("integers", [0, 23, 24, -1, -24, -25, 65_536], "[0, 23, 24, -1, -24, -25, 65536]"),
        Written("the largest integer of 64 bits", UInt64.max, "18446744073709551615"),
        Written("a bignum", UInt128(UInt64.max) + 1, "18446744073709551616"),
        Written("a negative bignum", -2 - Int128(UInt64.max), "-18446744073709551617"),
        Written(
            "floats",
            [1.5, -0.0, 100_000, 3.4028234663852886e38, 1.1, .infinity],
            #"[{"float": "1.5"}, {"float": "-0.0"}, {"float": "100000.0"}, {"float": "3.4028234663852886e38"}, "#
                + #"{"float": "1.1"}, {"float": "inf"}]"#
        ),
        Written("text and nil", ["", "ü", nil] as [String?], #"["", "ü", null]"#),
        Written("bytes", [UInt8]([0, 255]), #"{"bytes": "00ff"}"#),
        Written("a structure", ["bb": 1, "a": 2, "": 3], #"{"map": {"": 3, "a": 2, "bb": 1}}"#),
        Written("a case", Action.add(5), #"{"map": {"add": {"map": {"_0": 5}}}}"#),
        Written("a case without values", Action.reset, #"{"map": {"reset": {"map": {}}}}"#),
        Written("integer keys", [10: "a", 9: "b"], #"{"map": {"10": "a", "9": "b"}}"#),
        Written("a set", Set([256, 3, -1, 24]), #"{"set": [256, 3, -1, 24]}"#),
        Written("a set of text", Set(["bb", "a", "c", ""]), #"{"set": ["bb", "a", "c", ""]}"#),
        Written("a set of sets", Set([Set([2, 1]), Set([3])]), #"{"set": [{"set": [3]}, {"set": [2, 1]}]}"#),
        Written(
            "a dictionary with keys that are cases",
            [Action.reset: Set([2, 1]), .add(1): [], .add(0): [7]],
            #"{"pairs": [[{"map": {"reset": {"map": {}}}}, {"set": [2, 1]}], "#
                + #"[{"map": {"add": {"map": {"_0": 1}}}}, {"set": []}], "#
                + #"[{"map": {"add": {"map": {"_0": 0}}}}, {"set": [7]}]]}"#
        ),
        Written(
            "a dictionary with keys that are arrays",
            [[2]: "a", [1, 1]: "b", []: "c"],
            #"{"pairs": [[[2], "a"], [[1, 1], "b"], [[], "c"]]}"#
        ),
        Written("Data: an array of numbers", Data([1, 255]), "[1, 255]"),
        Written("Date: seconds since 2001", Date(timeIntervalSinceReferenceDate: 1.5), #"{"float": "1.5"}"#),
        Written(
            "UUID: text",
            UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"),
            #""00112233-4455-6677-8899-AABBCCDDEEFF""#
        ),
        Written("URL: a structure", URL(string: "https://a.b/c"), #"{"map": {"relative": "https://a.b/c"}}"#),
        Written("the deepest value", Tree(depth: 128), nested(128)),
    ]

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    static func read(_ type: String, _ bytes: [UInt8]) throws -> String {
        let decoder = CBORDecoder()
        switch type {
        case "Int": return "\(try decoder.decode(Int.self, from: bytes))"
        case "Double": return "\(try decoder.decode(Double.self, from: bytes))"
        case "String": return try decoder.decode(String.self, from: bytes)
        case "bytes": return Hex.digits(try decoder.decode([UInt8].self, from: bytes))
        case "[Int]": return "\(try decoder.decode([Int].self, from: bytes))"
        case "[Int?]":
            let values = try decoder.decode([Int?].self, from: bytes)
            return values.map { $0.map(String.init) ?? "nil" }.joined(separator: " ")
        case "[String: Int]":
            let value = try decoder.decode([String: Int].self, from: bytes).sorted { $0.key < $1.key }
            return value.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        default: throw UnknownType(name: type)
        }
    }

    struct UnknownType: Error {
        let name: String
    }
}
