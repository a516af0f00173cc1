import LatticeCoding
import LatticeWire
import Testing

/// Values that describe themselves, as bytes.
struct DescriptionValueTests {
    static let values: [(value: DescriptionValue, bytes: [UInt8])] = [
        (nil, [0xf6]),
        (true, [0xf5]),
        (0, [0x00]),
        (.integer(Int128(UInt64.max)), [0x1b] + [UInt8](repeating: 0xff, count: 8)),
        (-1, [0x20]),
        (.integer(-1 - Int128(UInt64.max)), [0x3b] + [UInt8](repeating: 0xff, count: 8)),
        (1.5, [0xf9, 0x3e, 0x00]),
        ("a", [0x61, 0x61]),
        (.bytes([1]), [0x41, 0x01]),
        ([1, "a"], [0x82, 0x01, 0x61, 0x61]),
        // The shorter key comes first, whatever its letters are.
        (["b": 1, "aa": 2], [0xa2, 0x61, 0x62, 0x01, 0x62, 0x61, 0x61, 0x02]),
    ]

    @Test("Each type of value has its bytes, and is read from them", arguments: values)
    func bytes(value: DescriptionValue, bytes: [UInt8]) throws {
        var writer = CBORWriter()
        value.encode(into: &writer)
        #expect(writer.bytes == bytes)
        #expect(try read(bytes) == value)
    }

    static let foreign: [(bytes: [UInt8], value: DescriptionValue)] = [
        // A tag is read as its content, and values without a counterpart as null.
        ([0xc1, 0x05], 5),
        ([0xf7], nil),
        ([0xe0], nil),
        ([0x82, 0xd8, 0x64, 0x61, 0x61, 0xf7], ["a", nil]),
    ]

    @Test("Values of a later version do not make the others unreadable", arguments: foreign)
    func reads(bytes: [UInt8], value: DescriptionValue) throws {
        #expect(try read(bytes) == value)
    }

    static let wrongRows: [(name: String, bytes: [UInt8])] = [
        ("no bytes", []),
        ("a map", [0xa0]),
        ("a row that is no map", [0x81, 0x01]),
        ("a key that is no text", [0x81, 0xa1, 0x01, 0x01]),
        ("a key that occurs twice", [0x81, 0xa2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]),
        ("more rows announced than there are", [0x82, 0xa0]),
        ("bytes after the rows", [0x80, 0x00]),
        ("a text that is not UTF-8", [0x81, 0xa1, 0x61, 0x61, 0x61, 0xff]),
        ("too many levels", [0x81, 0xa1, 0x61, 0x61] + [UInt8](repeating: 0x81, count: 127) + [0x00]),
    ]

    @Test("Rows that are no array of maps with text keys are refused", arguments: wrongRows)
    func refuses(name: String, bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try DescriptionValue.rows(decoding: bytes) }
    }

    @Test("The rows of a sample come back")
    func rows() throws {
        var writer = CBORWriter()
        writer.append(arrayHeader: 2)
        for _ in 0..<2 { DescriptionValue.encode(MessageSamples.row, into: &writer) }
        #expect(try DescriptionValue.rows(decoding: writer.bytes) == [MessageSamples.row, MessageSamples.row])
    }

    private func read(_ bytes: [UInt8]) throws -> DescriptionValue {
        try bytes.withBytes { bytes throws(CBORError) in
            var reader = CBORReader(bytes)
            let value = try DescriptionValue(reading: &reader)
            try reader.finish()
            return value
        }
    }
}
