import LatticeCoding
import LatticeWire
import Testing

@Suite struct FrameTests {
    @Test func aHeaderHasTheStatedLayout() throws {
        let header = FrameHeader(length: 0x0102, kind: 0x0304, flags: [.skippable, .more], channel: 0x0506_0708)
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        #expect(bytes == [0, 0, 1, 2, 3, 4, 3, 0, 5, 6, 7, 8])
        let read = try bytes.withBytes { bytes throws(WireError) in
            try FrameHeader(parsing: bytes, maximumBody: 0x0102)
        }
        #expect(read == header)
    }

    @Test("Frames survive every split, and many arrive at once (F32, F33)") func framesSurviveEverySplit() throws {
        let stream = FrameFixtures.stream()
        let whole = try FrameFixtures.collect([stream])
        #expect(whole.count == FrameFixtures.bodies.count)
        for split in 0...stream.count {
            #expect(try FrameFixtures.collect([Array(stream[..<split]), Array(stream[split...])]) == whole)
        }
        #expect(try FrameFixtures.collect(stream.map { [$0] }) == whole)
    }
}

enum FrameFixtures {
    static let bodies: [[UInt8]] = [[0xa0], [UInt8](repeating: 7, count: 40), [1, 2, 3], [UInt8](0..<100)]

    struct Frame: Equatable {
        var header: FrameHeader
        var body: [UInt8]
    }

    static func stream() -> [UInt8] {
        var stream: [UInt8] = []
        for (index, body) in bodies.enumerated() {
            FrameHeader(length: UInt32(body.count), kind: .event, channel: UInt32(index + 1)).append(to: &stream)
            stream += body
        }
        return stream
    }

    static func collect(_ pieces: [[UInt8]], into decoder: FrameDecoder = FrameDecoder()) throws -> [Frame] {
        var decoder = decoder
        var frames: [Frame] = []
        for piece in pieces {
            try piece.withBytes { bytes throws(WireError) in
                try decoder.feed(bytes) { header, body in
                    frames.append(Frame(header: header, body: [UInt8](body)))
                }
            }
        }
        return frames
    }
}
