import LatticeCoding
import LatticeWire
import Testing

@Suite struct MessageRoundTripTests {
    @Test(arguments: MessageSamples.all)
    func decodesWhatItEncodes(_ sample: MessageSamples.Sample) throws {
        let decoded = try sample.body.encoded.withBytes { bytes throws(WireError) in
            try WireMessage.decode(sample.kind, bytes)
        }
        #expect(decoded.encoded == sample.body.encoded)
        #expect(String(describing: decoded) == String(describing: sample.body))
    }

    @Test(arguments: MessageSamples.all)
    func everyTruncationIsRefused(_ sample: MessageSamples.Sample) {
        let whole = sample.body.encoded
        for length in 0..<whole.count {
            #expect(throws: WireError.self) {
                try Array(whole[..<length]).withBytes { bytes throws(WireError) in
                    _ = try WireMessage.decode(sample.kind, bytes)
                }
            }
        }
    }

    @Test func everySentKindHasASample() {
        let sampled = Set(MessageSamples.all.map(\.kind))
        #expect(sampled == Set(MessageKind.allCases))
    }

    @Test("The largest crash report fits into one frame, because its lines and sentences are cut")
    func maximumCrashReport() throws {
        let name = String(repeating: "n", count: 255)
        let event = WireEventName(
            sender: [UInt8](repeating: 255, count: 16),
            channel: .max,
            feature: name,
            instance: name,
            number: MessageLimits.maximumGrowing
        )
        var report = CrashReportMessage()
        report.group = String(repeating: "g", count: 100_000)
        // The characters have two bytes, so that a cut can fall between them.
        report.output = [String](repeating: "x" + String(repeating: "\u{e9}", count: 50_000), count: 32)
        report.turn = event
        report.events = [WireEventName](repeating: event, count: 16)
        report.effects = [String](repeating: name, count: 16)
        (report.incarnation, report.processID, report.lifetimeMilliseconds) = (.max, .max, .max)
        report.quarantined = MessageLimits.maximumGrowing
        var frame: [UInt8] = []
        try report.appendFrame(to: &frame, channel: .max)
        let read = try CrashReportMessage(decoding: Array(frame[FrameHeader.size...]))
        #expect(read.group.utf8.count == 2_048 && read.output.count == 32 && read.events.count == 16)
        #expect(read.output.allSatisfy { $0.utf8.count == 1_023 })
    }

    @Test("An event has the same bytes, whichever way it is written and read", arguments: [0, 1, 24, 300, 65_000])
    func eventInOnePiece(size: Int) throws {
        let action = [UInt8](repeating: 7, count: size)
        let last = UInt32(MessageLimits.maximumOrigins - 1)
        let origins: [EventMessage.Origin?] = [nil, .init(index: 0, number: 1), .init(index: last, number: 1 << 40)]
        for origin in origins {
            let event = EventMessage(event: 1 << 33, action: action, origin: origin)
            var (frame, drafted): ([UInt8], [UInt8]) = ([], [])
            try event.appendFrame(to: &frame, channel: 9)
            EventMessage.appendFrame(
                to: &drafted,
                channel: 9,
                event: event.event,
                action: action,
                origin: origin
            )
            #expect(drafted == frame)
            // With an unknown field, the message is read in the general way.
            let later = event.encoded + [0x17, 0x00]
            for body in [event.encoded, [later[0] + 1] + later[1...]] {
                try body.withBytes { body throws(WireError) in
                    let read = try EventMessage.Borrowed(decoding: body)
                    #expect(read.event == event.event && read.origin == origin)
                    #expect([UInt8](read.action) == action)
                }
            }
        }
    }

    @Test("The origin of an event has limits, whichever way it is read")
    func originOutOfRange() throws {
        let most = UInt32(MessageLimits.maximumOrigins)
        for origin in [EventMessage.Origin(index: most, number: 1), EventMessage.Origin(index: 0, number: 0)] {
            var drafted: [UInt8] = []
            EventMessage.appendFrame(to: &drafted, channel: 9, event: 1, action: [1], origin: origin)
            let body = Array(drafted[FrameHeader.size...])
            #expect(throws: WireError.self) {
                try body.withBytes { body throws(WireError) in _ = try EventMessage.Borrowed(decoding: body) }
            }
        }
    }

    @Test("A patch has the same bytes, whichever way it is written and read", arguments: [0, 1, 24, 300, 65_000])
    func patchInOnePiece(size: Int) throws {
        let changes = [UInt8](repeating: 7, count: size)
        for numbers in [(0, 1, 0), (23, 24, 23), (1 << 40, 1 << 41, 1 << 42)] as [(UInt64, UInt64, UInt64)] {
            let patch = PatchMessage(base: numbers.0, revision: numbers.1, applied: numbers.2, changes: changes)
            var (frame, drafted): ([UInt8], [UInt8]) = ([], [])
            try patch.appendFrame(to: &frame, channel: 9)
            PatchMessage.appendFrame(
                to: &drafted,
                channel: 9,
                base: patch.base,
                revision: patch.revision,
                applied: patch.applied,
                changes: changes
            )
            #expect(drafted == frame)
            let later = patch.encoded + [0x05, 0x00]
            for body in [patch.encoded, [later[0] + 1] + later[1...]] {
                try body.withBytes { body throws(WireError) in
                    let read = try PatchMessage.Borrowed(decoding: body)
                    #expect((read.base, read.revision, read.applied) == numbers)
                    #expect([UInt8](read.changes) == changes)
                }
            }
        }
    }

    @Test func aPatchThatLeadsNowhereIsRefused() {
        let patch = PatchMessage(base: 7, revision: 7, applied: 1, changes: [])
        let error = #expect(throws: WireError.self) { try PatchMessage(decoding: patch.encoded) }
        #expect(error?.code == .badField)
        #expect(error?.sentence.contains("'revision' has the value 7") == true)
        #expect(throws: WireError.self) {
            try patch.encoded.withBytes { body throws(WireError) in _ = try PatchMessage.Borrowed(decoding: body) }
        }
    }
}
