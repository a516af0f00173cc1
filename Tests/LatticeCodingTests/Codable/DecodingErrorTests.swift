import ByteTestSupport
import Testing

@testable import LatticeCoding

/// Tests the input that the decoder refuses, with the place and the text of the error.
@Suite struct DecodingErrorTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let hex: String
        let path: String
        let sentence: String
        let decode: @Sendable ([UInt8]) throws -> Void
        var testDescription: String { hex }

        init<Value: Decodable & SendableMetatype>(
            _ hex: String,
            _ type: Value.Type,
            at path: String = "",
            _ sentence: String
        ) {
            self.hex = hex
            self.path = path
            self.sentence = sentence
            decode = { bytes throws in _ = try CBORDecoder().decode(Value.self, from: bytes) }
        }
    }

    @Test(arguments: [
        Refusal("", Int.self, CBORError.truncated(at: 0, needed: 1, remaining: 0).sentence),
        Refusal("0000", Int.self, CBORError.trailingBytes(1, at: 1).sentence),
        Refusal("a2616101616102", [String: Int].self, CBORError.duplicateKey("a", at: 4).sentence),
        Refusal("a3616101616202616103", [String: Int].self, CBORError.duplicateKey("a", at: 7).sentence),
        Refusal("9f01ff", [Int].self, CBORError.indefinite(at: 0).sentence),
        Refusal("1817", Int.self, CBORError.notShortest(at: 0).sentence),
        Refusal("62c328", String.self, CBORError.invalidUTF8(at: 0).sentence),
        Refusal("a162c32801", [String: Int].self, CBORError.invalidUTF8(at: 1).sentence),
        Refusal("a14001", [String: Int].self, "The value at byte 1 is a byte string, not an integer."),
        Refusal(
            "9bffffffffffffffff00",
            [Int].self,
            CBORError.countTooLarge(.max, at: 0, remaining: 1).sentence
        ),
        Refusal(
            "a1616182011903e8",
            [String: [UInt8]].self,
            at: "a.Index 1",
            "The number 1000 at byte 5 does not fit into UInt8."
        ),
        Refusal("20", UInt.self, "The number -1 at byte 0 does not fit into UInt."),
        Refusal("3bffffffffffffffff", Int.self, "The number -18446744073709551616 at byte 0 does not fit into Int."),
        Refusal("fb3ff199999999999a", Float.self, "The number 1.1 at byte 0 does not fit into Float."),
        Refusal("a1616bf6", [String: Int].self, at: "k", "The value at byte 3 is null, not an integer."),
        Refusal("a0", Record.self, "There is no value for the key 'identifier'."),
        Refusal(
            "c2510100000000000000000000000000000000",
            UInt128.self,
            "The bignum at byte 0 does not fit into UInt128."
        ),
    ])
    func isRefused(_ refusal: Refusal) throws {
        let error = #expect(throws: DecodingError.self) { try refusal.decode(Hex.bytes(refusal.hex)) }
        let context = try #require(error.flatMap(DecodingErrorTests.context))
        #expect(context.debugDescription == refusal.sentence)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == refusal.path)
    }

    private static func context(_ error: DecodingError) -> DecodingError.Context? {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context
        @unknown default: nil
        }
    }
}
