import Testing

@testable import LatticeCoding

/// The code and the whole sentence of each error. Other tests check the codes, or compare with the same errors.
@Suite struct CBORErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: CBORError
        let code: CBORError.Code
        let testDescription: String

        init(_ error: CBORError, _ code: CBORError.Code, _ sentence: String) {
            self.error = error
            self.code = code
            testDescription = sentence
        }
    }

    static let rows: [Row] = [
        Row(
            .truncated(at: 3, needed: 9, remaining: 2),
            .malformed,
            "The value at byte 3 needs 9 more bytes; 2 are left."
        ),
        Row(
            .truncated(at: 3, needed: 1, remaining: 1),
            .malformed,
            "The value at byte 3 needs 1 more byte; 1 is left."
        ),
        Row(
            .countTooLarge(1_000, at: 0, remaining: 4),
            .malformed,
            "The head at byte 0 announces 1000 elements; the 4 bytes left cannot hold them."
        ),
        Row(
            .countTooLarge(1, at: 0, remaining: 1),
            .malformed,
            "The head at byte 0 announces 1 element; the 1 byte left cannot hold it."
        ),
        Row(.notShortest(at: 1), .malformed, "The head at byte 1 is longer than its value needs."),
        Row(.reservedHead(28, at: 1), .malformed, "The byte 28 at 1 begins no value."),
        Row(.indefinite(at: 0), .malformed, "The value at byte 0 has no length; lengths are written first."),
        Row(
            .tooDeep(at: 128, maximum: 128),
            .malformed,
            "The value at byte 128 is nested deeper than 128 levels."
        ),
        Row(.invalidUTF8(at: 4), .malformed, "The text at byte 4 is not UTF-8."),
        Row(.trailingBytes(2, at: 9), .malformed, "2 bytes follow the end of the value at byte 9."),
        Row(.trailingBytes(1, at: 9), .malformed, "1 byte follows the end of the value at byte 9."),
        Row(
            .wrongType(.text, expected: "a map", at: 0),
            .unexpected,
            "The value at byte 0 is a text string, not a map."
        ),
        Row(
            .outOfRange("70000", maximum: "65535", at: 2),
            .unexpected,
            "The number 70000 at byte 2 is outside the range up to 65535."
        ),
        Row(.duplicateKey("a", at: 4), .duplicate, "The key 'a' at byte 4 occurs twice in its map."),
        Row(.valueTooLarge(9, maximum: 8), .tooLarge, "The field 'value' has the size 9; at most 8 is allowed."),
    ]

    @Test("Each error has its code and one sentence", arguments: rows)
    func sentence(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.sentence == row.testDescription)
        #expect("\(row.error)" == row.testDescription)
    }
}
