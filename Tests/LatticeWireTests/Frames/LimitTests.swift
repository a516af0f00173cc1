import LatticeCoding
import Testing

@testable import LatticeWire

@Suite struct LimitTests {
    @Test func theChunksOfALargeMessageAreJoined() throws {
        let state = StateMessage(
            revision: 2,
            applied: 1,
            state: (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        )
        let body = state.encoded
        var assembler = MessageAssembler(from: .initiator)
        var whole: StateMessage?
        for start in stride(from: 0, to: body.count, by: FrameLimits.maximumBody) {
            #expect(whole == nil)
            let chunk = Array(body[start..<min(start + FrameLimits.maximumBody, body.count)])
            let flags: FrameFlags = start + chunk.count < body.count ? .more : []
            let header = FrameHeader(length: UInt32(chunk.count), kind: .state, flags: flags, channel: 7)
            try chunk.withBytes { chunk throws(WireError) in
                try assembler.receive(header, chunk) { _, _, body throws(WireError) in
                    whole = try StateMessage(decoding: body)
                }
            }
        }
        #expect(whole == state)
        #expect(assembler.reservedBytes == 0)
        #expect(assembler.unfinishedMessages == 0)
    }

    @Test("A message that grows repeatedly in small steps while others use the room is refused")
    func tightGrowth() throws {
        var assembler = MessageAssembler(from: .initiator, maximumMessage: 1 << 20, maximumAssembly: 100_000)
        func receive(_ channel: UInt32, isLast: Bool = false) throws {
            let chunk = [UInt8](repeating: 0, count: isLast ? 0 : 1_000)
            let flags: FrameFlags = isLast ? [] : .more
            let header = FrameHeader(length: UInt32(chunk.count), kind: .state, flags: flags, channel: channel)
            try chunk.withBytes { chunk throws(WireError) in
                try assembler.receive(header, chunk) { _, _, _ throws(WireError) in }
            }
        }
        // Each of many small messages that ends makes room for a little more of a large one.
        let small = stride(from: UInt32(3), through: 79, by: 2)
        for channel in small { try receive(channel) }
        var grown = 0
        let error = #expect(throws: WireError.self) {
            for channel in small {
                while assembler.reservedBytes + 1_000 <= 100_000 {
                    try receive(1)
                    grown += 1
                }
                try receive(channel, isLast: true)
            }
        }
        #expect(error?.code == .tooLarge)
        #expect((60...90).contains(grown), "\(grown)")
    }

    @Test func tooLargeFramesAreNotAppended() {
        let state = StateMessage(revision: 2, applied: 1, state: [UInt8](repeating: 0, count: FrameLimits.maximumBody))
        var bytes: [UInt8] = [1]
        let error = #expect(throws: WireError.self) { try state.appendFrame(to: &bytes, channel: 7) }
        #expect(error?.sentence == WireError.messageTooLarge(.state, actual: 65_547, maximum: 65_536).sentence)
        #expect(bytes == [1])
    }

    @Test func aConfigurationHasALimit() throws {
        func decoded(_ count: Int) throws -> Open {
            let configuration = [UInt8](repeating: 0, count: count)
            return try Open(feature: "f", schema: 1, configuration: configuration).encoded.withBytes {
                try Open(decoding: $0)
            }
        }
        #expect(try decoded(65_536).configuration?.count == 65_536)
        let error = #expect(throws: WireError.self) { try decoded(65_537) }
        #expect(error?.code == .tooLarge)
    }

    @Test func theFirstFrameHasASmallerLimit() throws {
        func frame(_ length: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            FrameHeader(length: UInt32(length), kind: .event, channel: 1).append(to: &bytes)
            return bytes + [UInt8](repeating: 0, count: length)
        }
        #expect(throws: WireError.self) { try FrameFixtures.collect([frame(16_385)]) }
        // Both in one piece: the larger limit holds from the very next frame on.
        #expect(try FrameFixtures.collect([frame(16_384) + frame(65_536)]).count == 2)
        let error = #expect(throws: WireError.self) { try FrameFixtures.collect([frame(1) + frame(65_537)]) }
        #expect(error?.code == .tooLarge)
    }

    @Test func nothingIsDecodedAfterAnError() throws {
        var decoder = FrameDecoder()
        let broken: [UInt8] = [0, 0, 0, 1, 0, 5, 0, 1, 0, 0, 0, 0]
        for bytes in [broken, FrameFixtures.stream()] {
            let error = #expect(throws: WireError.self) {
                try bytes.withBytes { bytes throws(WireError) in
                    try decoder.feed(bytes) { _, _ in Issue.record("a frame came out") }
                }
            }
            #expect(error?.code == .reservedByte)
        }
    }

    @Test(arguments: [
        (10, 100, 9, [(1, 8), (1, 8)], WireError.messageTooLarge(.state, actual: 16, maximum: 10).sentence),
        (20, 20, 9, [(1, 8), (2, 8), (3, 8)], WireError.assemblyTooLarge(actual: 24, maximum: 20).sentence),
        (20, 99, 2, [(1, 1), (2, 1), (3, 1)], WireError.tooManyAssemblies(maximum: 2).sentence),
    ])
    func assembliesAreBounded(
        message: Int,
        total: Int,
        count: Int,
        chunks: [(channel: Int, bytes: Int)],
        sentence: String
    ) throws {
        var assembler = MessageAssembler(
            from: .initiator,
            maximumMessage: message,
            maximumAssembly: total,
            maximumAssemblies: count
        )
        let error = #expect(throws: WireError.self) {
            for chunk in chunks {
                let header = FrameHeader(
                    length: UInt32(chunk.bytes),
                    kind: .state,
                    flags: .more,
                    channel: UInt32(chunk.channel)
                )
                try [UInt8](repeating: 0, count: chunk.bytes).withBytes { body throws(WireError) in
                    try assembler.receive(header, body) { _, _, _ in Issue.record("a message came out") }
                }
            }
        }
        #expect(error?.sentence == sentence)
        #expect(assembler.reservedBytes <= total)
    }

    @Test func sentencesAreCutBetweenScalars() throws {
        let long = Goodbye(code: .violation, reason: String(repeating: "x", count: 2_047) + "üü")
        let decoded = try Goodbye(decoding: long.encoded)
        #expect(decoded.reason == String(repeating: "x", count: 2_047))
    }

    @Test func aMessageThatIsTooLargeLeavesTheBufferAlone() {
        let many = (0..<1_000).map { FeatureAdvertisement(identifier: "feature \($0)", schema: 1, level: .view) }
        var bytes: [UInt8] = [1]
        let error = #expect(throws: WireError.self) {
            try Hello(role: .worker, incarnation: 1, processID: 1, features: many).appendFrame(to: &bytes)
        }
        #expect(error?.code == .tooLarge)
        #expect(bytes == [1])
    }
}
