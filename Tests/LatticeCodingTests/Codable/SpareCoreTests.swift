import Testing

@testable import LatticeCoding

/// Checks that the objects that code a value can be reused for the next one, whatever the value did with them.
@Suite(.serialized) struct SpareCoreTests {
    /// Keeps what it is coded with.
    private struct Keeping: Codable {
        nonisolated(unsafe) static var decoder: (any Decoder)?
        nonisolated(unsafe) static var encoder: (any Encoder)?

        init() {}

        init(from decoder: any Decoder) throws {
            Self.decoder = decoder
        }

        func encode(to encoder: any Encoder) throws {
            Self.encoder = encoder
            var container = encoder.singleValueContainer()
            try container.encode(7)
        }
    }

    @Test("A decoder that user code keeps reads nothing afterwards, and later values use another decoder")
    func decoderIsKept() throws {
        defer { Keeping.decoder = nil }
        let bytes: [UInt8] = [0x83, 1, 2, 3]
        for _ in 0..<3 {
            _ = try CBORDecoder().decode(Keeping.self, from: bytes)
            #expect(try CBORDecoder().decode([Int].self, from: bytes) == [1, 2, 3])
            let kept = try #require(Keeping.decoder)
            #expect(throws: DecodingError.self) { try kept.singleValueContainer().decode([Int].self) }
            #expect(throws: DecodingError.self) { try kept.unkeyedContainer() }
        }
    }

    @Test("An encoder that user code keeps writes nothing afterwards, and later values use another encoder")
    func encoderIsKept() throws {
        defer { Keeping.encoder = nil }
        for _ in 0..<3 {
            #expect(try CBOREncoder().encode(Keeping()) == [7])
            var kept = try #require(Keeping.encoder).unkeyedContainer()
            try? kept.encode("late")
            #expect(try CBOREncoder().encode([1, 2]) == [0x82, 1, 2])
            try? kept.encode("later")
            #expect(try CBOREncoder().encode(["a": 1]) == [0xa1, 0x61, 0x61, 1])
        }
    }

    /// Fails behind something that it has written.
    private struct Failing: Encodable {
        struct Reason: Error {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode("something")
            throw Reason()
        }
    }

    @Test("A coding error leaves nothing behind")
    func errors() throws {
        for _ in 0..<3 {
            #expect(throws: Failing.Reason.self) { try CBOREncoder().encode(Failing()) }
            #expect(try CBOREncoder().encode([1, 2]) == [0x82, 1, 2])
            var bytes: [UInt8] = [0xff]
            #expect(throws: Failing.Reason.self) { try CBOREncoder().encode(Failing(), into: &bytes) }
            #expect(bytes == [0xff])
            #expect(throws: DecodingError.self) { try read([0xa1, 0x61, 0x61, 1]) }
            #expect(try read([0xa1, 0x61, 0x61, 0x81, 1]) == ["a": [1]])
        }
    }

    private func read(_ bytes: [UInt8]) throws -> [String: [Int]] {
        try CBORDecoder().decode([String: [Int]].self, from: bytes)
    }

    @Test("Values around the size of the reused buffer are encoded and decoded correctly")
    func buffers() throws {
        for count in [1, EncoderCore.keptBytes - 3, EncoderCore.keptBytes - 2, EncoderCore.keptBytes + 1, 1] {
            let value = [UInt8](repeating: 5, count: count)
            let bytes = try CBOREncoder().encode(value)
            #expect(try CBORDecoder().decode([UInt8].self, from: bytes) == value)
        }
    }
}
