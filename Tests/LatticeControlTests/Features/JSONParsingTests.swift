import LatticeWire
import Testing

@testable import LatticeControl

/// JSON that a user types, as values.
@Suite struct JSONParsingTests {
    static let valid: [(json: String, value: DescriptionValue)] = [
        ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-7", -7), ("1.5", 1.5), ("-0", 0),
        ("1e3", 1000.0), ("2E-2", 0.02), ("18446744073709551615", .integer(.init(UInt64.max))),
        ("-18446744073709551616", .integer(-(1 << 64))), ("18446744073709551616", .float(18_446_744_073_709_551_616)),
        (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"), (#""\u00e9\ud83d\ude00é""#, "é😀é"),
        ("[]", []), ("[ ]", []), ("[1,[2],{}]", [1, [2], [:]]), ("{}", [:]),
        (#"{"add": {"_0": 5}, "b" :[null]}"#, ["add": ["_0": 5], "b": [nil]]),
        (String(repeating: "[", count: 127) + String(repeating: "]", count: 127), nested(126)),
    ]

    private static func nested(_ count: Int) -> DescriptionValue {
        (0..<count).reduce(.array([])) { value, _ in .array([value]) }
    }

    @Test("JSON becomes the value that it describes, and is written as JSON again", arguments: valid)
    func reads(json: String, value: DescriptionValue) throws {
        #expect(try DescriptionValue(json: json) == value)
        #expect(try DescriptionValue(json: value.json) == value)
        #expect(try DescriptionValue(json: value.indentedJSON) == value)
    }

    @Test(
        "What is no JSON is refused with its position",
        arguments: [
            "", " ", "nul", "True", "1 2", "01", "-", "1.", ".5", "+1", "1e", "0x1", "NaN", "\"", "\"a", "\"\\",
            "\"\\x\"",
            "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "[", "[1", "[1,", "[1,]",
            "[1 2]",
            "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "]", "1e999",
            String(repeating: "[", count: 128) + String(repeating: "]", count: 128),
        ]
    )
    func refuses(json: String) {
        let error = #expect(throws: ControlError.self) { try DescriptionValue(json: json) }
        #expect(error?.code == .invalid)
    }

    @Test("The error names the position")
    func position() {
        let error = #expect(throws: ControlError.self) { try DescriptionValue(json: "[1, x]") }
        #expect(error?.message == "This is no value at byte 4 of the JSON. Correct it.")
    }

    @Test("Indented JSON has one element in a line, and a cut text has at most its maximum of characters")
    func layouts() {
        let value: DescriptionValue = ["a": [1, ["b": []]], "c": "\u{1b}"]
        #expect(
            value.indentedJSON == "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": \"\\u001b\"\n}"
        )
        let long = DescriptionValue.array(Array(repeating: "abcdefgh", count: 100_000))
        #expect(long.json(atMost: 20) == "[\"abcdefgh\",\"abcdefg…")
        #expect(DescriptionValue.text("short").json(atMost: 20) == "\"short\"")
        // Two bytes in each character, and a cut inside of an element or before one.
        #expect(DescriptionValue.text(String(repeating: "é", count: 15)).json(atMost: 20) == "\"ééééééééé…")
        #expect(DescriptionValue.array(["éééé", "éééé", 1, 2]).json(atMost: 20).hasSuffix("…"))
    }
}
