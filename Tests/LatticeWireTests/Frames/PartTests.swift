import ByteTestSupport
import LatticeCoding
import LatticeWire
import Testing

/// Payloads in parts: what the sender's half and the receiver's half do, step by step.
@Suite struct PartTests {
    private static let window = FrameLimits.firstParts
    private static let part = FrameLimits.maximumPart

    // MARK: Sending

    private static func sender(_ payload: [UInt8]) -> PartSender {
        let head = StateMessage(revision: 2, applied: 1, state: [], length: UInt64(payload.count)).encoded
        return PartSender(.state, on: 7, head: head, payload: payload)
    }

    @Test("A sender sends as far as it has credit, and continues when it gets more")
    func aSenderGoesAsFarAsItHasCredit() throws {
        var sender = Self.sender([UInt8](repeating: 1, count: Self.window + 1000))
        let steps: [(PartSender.State, Int)] = [
            (.waiting, 0), (.sending, Self.part), (.sending, Self.window - Self.part), (.starved, 0), (.starved, 0),
        ]
        for (state, bytes) in steps {
            #expect(sender.state == state)
            #expect(sender.next().bytes == bytes)
        }
        sender.grant(600)
        #expect(sender.next().bytes == 600)
        #expect(sender.state == .starved)
        // More than there is means nothing.
        sender.grant(.max)
        sender.grant(.max)
        #expect(sender.next().bytes == 400)
        #expect(sender.state == .done)
        #expect(sender.next().frame.isEmpty)
    }

    @Test("A payload within the first window needs no credit")
    func aSmallPayloadNeedsNoCredit() {
        var sender = Self.sender([1, 2, 3])
        _ = sender.next()
        #expect(sender.next().bytes == 3)
        #expect(sender.state == .done)
    }

    // MARK: Receiving

    /// An input of a receiver.
    private enum Step {
        case begin(UInt32, length: Int)
        case part(UInt32, Int)
        case event(UInt32)
    }

    private static func play(
        _ steps: [Step],
        maximumPayload: Int = 1 << 30,
        maximumReserved: Int = 1 << 20
    ) throws -> [String] {
        var receiver = PartReceiver(maximumPayload: maximumPayload, maximumReserved: maximumReserved)
        var outputs: [String] = []
        for step in steps {
            let (kind, channel, body): (MessageKind, UInt32, [UInt8]) =
                switch step {
                case .begin(let channel, let length):
                    (.state, channel, StateMessage(revision: 1, applied: 0, state: [], length: UInt64(length)).encoded)
                case .part(let channel, let count):
                    (.part, channel, PartMessage(bytes: [UInt8](repeating: 5, count: count)).encoded)
                case .event(let channel):
                    (.event, channel, EventMessage(event: 1, action: []).encoded)
                }
            let receipt = try body.withBytes { bytes throws(WireError) in try receiver.receive(kind, channel, bytes) }
            if case .whole(let kind, _, let payload) = receipt { outputs.append("\(kind) of \(payload.count)") }
            if case .other = receipt { outputs.append("other") }
            for grant in receiver.takeGrants() { outputs.append("\(grant.bytes) on \(grant.channel)") }
        }
        #expect(receiver.isEmpty == (receiver.reservedBytes == 0) || !receiver.isEmpty)
        return outputs
    }

    @Test("A message is in parts if its payload is replaced by a length, whatever other keys it has")
    func whatStandsInThePlaceOfThePayload() throws {
        let bytes: [UInt8] = [0x41, 0xff]
        let length: [UInt8] = [0x19, 0x01, 0x00]
        // Keys 1 and 2 are numbers; 3 is the payload of a state. Unknown keys have any value.
        let cases: [(MessageKind, [UInt8], isInParts: Bool)] = [
            (.state, [0xa3, 1, 1, 2, 0, 3] + length, true),
            (.state, [0xa3, 1, 1, 2, 0, 3] + bytes, false),
            (.state, [0xa4, 1, 1, 2, 0, 3] + length + [9, 0x61, 0x61], true),
            (.state, [0xa4, 1, 1, 2, 0, 3] + bytes + [9, 0x61, 0x61], false),
            (.state, [0xa3, 1, 0x18, 0x18, 2, 0x18, 0x18, 3] + length, true),
            // Each kind has its payload under a different key, or no payload that can come in parts.
            (.patch, [0xa4, 1, 1, 2, 2, 3, 0, 4] + length, true),
            (.patch, [0xa4, 1, 1, 2, 2, 3, 0, 4] + bytes, false),
            (.event, [0xa2, 1, 1, 2] + bytes, false),
            // Malformed messages are left to their decoder.
            (.state, [0xa2, 1, 1, 3] + bytes, false),
            (.state, [0xa1, 1, 1, 2, 0, 3] + bytes, false),
            (.state, [0xa3, 1, 1, 2, 0, 3], false),
            (.state, [0xa3, 1, 1, 2], false),
            (.state, [0xa3], false),
            (.state, [0x80], false),
            (.state, [], false),
        ]
        for (kind, body, isInParts) in cases {
            var receiver = PartReceiver(maximumPayload: 1 << 20)
            let receipt = try body.withBytes { bytes throws(WireError) in try receiver.receive(kind, 7, bytes) }
            if case .taken = receipt { #expect(isInParts, "\(body)") } else { #expect(!isInParts, "\(body)") }
        }
    }

    @Test("Credit covers a whole payload once its length is reserved, and a waiting payload has the first window")
    func creditIsGivenInOrder() throws {
        let length = 600_000
        let rest = length - Self.window
        var steps: [Step] = [.begin(1, length: length), .begin(3, length: length), .begin(5, length: 10)]
        // The second has no credit, and what it sends of its own is kept.
        steps += [.part(3, Self.part), .part(5, 10), .event(9)]
        steps += parts(1, length)
        steps += parts(3, length - Self.part)
        #expect(
            try Self.play(steps) == [
                "\(rest) on 1", "state of 10", "other", "state of \(length)", "\(rest) on 3", "state of \(length)",
            ]
        )
    }

    @Test("A payload above all reservable bytes is received alone")
    func aLargerOneGoesAlone() throws {
        let large = (1 << 20) + Self.part
        let steps = [Step.begin(1, length: large), .begin(3, length: 100_000)] + parts(1, large) + parts(3, 100_000)
        #expect(
            try Self.play(steps) == [
                "\(large - Self.window) on 1", "state of \(large)", "\(100_000 - Self.window) on 3", "state of 100000",
            ]
        )
    }

    private func parts(_ channel: UInt32, _ length: Int) -> [Step] {
        stride(from: 0, to: length, by: Self.part).map { .part(channel, min(Self.part, length - $0)) }
    }

    @Test("Violations of the rules are refused by name")
    func violations() throws {
        let window = Self.window
        let over: [Step] = [.begin(1, length: 1 << 20), .begin(3, length: 1 << 20), .part(3, Self.part)]
        let cases: [(steps: [Step], code: WireError.Code, says: String)] = [
            ([.part(1, 1)], .outOfOrder, "no message there has begun"),
            ([.begin(1, length: 10), .part(3, 1)], .outOfOrder, "no message there has begun"),
            ([.begin(1, length: 10), .part(1, 10), .part(1, 1)], .outOfOrder, "no message there has begun"),
            ([.begin(1, length: 10), .part(1, 11)], .tooLarge, "10 were announced"),
            ([.begin(1, length: 10), .begin(1, length: 10)], .outOfOrder, "before the last part"),
            ([.begin(1, length: 10), .event(1)], .outOfOrder, "before the last part"),
            ([.begin(1, length: (1 << 30) + 1)], .tooLarge, "announces a payload of 1073741825 bytes"),
            (over + [.part(3, window - Self.part + 1)], .tooLarge, "there is credit for \(window)"),
            ([.part(1, Self.part + 1)], .tooLarge, "at most \(Self.part)"),
        ]
        for (steps, code, says) in cases {
            let error = #expect(throws: WireError.self) { try Self.play(steps) }
            #expect(error?.code == code, "\(says)")
            #expect(error.map { "\($0)".contains(says) } == true, "\(String(describing: error))")
        }
        let many = (0...UInt32(FrameLimits.maximumAssemblies)).map { Step.begin(2 * $0 + 1, length: 100_000) }
        #expect(throws: WireError.self) { try Self.play(many) }
        #expect(throws: Never.self) { try Self.play(many.dropLast()) }
        #expect(throws: WireError.self) { try Self.play([.begin(1, length: 1)], maximumPayload: 0) }
    }

    @Test("The bodies of messages that announce parts share one bounded buffer, as their payloads do")
    func largeBodies() throws {
        var receiver = PartReceiver(maximumPayload: 1 << 30, maximumReserved: 1000)
        // A state with 300 bytes under an unknown key.
        let known = StateMessage(revision: 1, applied: 0, state: [], length: 100_000).encoded
        let unknown = [0x18, 0x63, 0x59, 0x01, 0x2c] + [UInt8](repeating: 0, count: 300)
        let body = [known[0] + 1] + known.dropFirst() + unknown
        func receive(_ channel: UInt32) throws {
            _ = try body.withBytes { bytes throws(WireError) in try receiver.receive(.state, channel, bytes) }
        }
        for channel in [1, 3, 5] as [UInt32] { try receive(channel) }
        let error = #expect(throws: WireError.self) { try receive(7) }
        #expect(error?.code == .tooLarge)
    }

    // MARK: Both

    @Test("Payloads arrive unchanged, whatever their lengths, order and limits", arguments: 0..<20 as Range<UInt64>)
    func whatComesOutIsWhatWentIn(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let reserved = Int(random.next() % 400_000) + 1
        var receiver = PartReceiver(maximumPayload: 1 << 20, maximumReserved: reserved)
        var senders: [UInt32: PartSender] = [:]
        var payloads: [UInt32: [UInt8]] = [:]
        for channel in 1...UInt32(random.next() % 8 + 1) {
            let payload = (0..<(Int(random.next() % 300_000) + 1)).map { UInt8(truncatingIfNeeded: $0 &* Int(channel)) }
            payloads[channel] = payload
            let head = StateMessage(revision: 1, applied: 0, state: [], length: UInt64(payload.count)).encoded
            senders[channel] = PartSender(.state, on: channel, head: head, payload: payload)
        }
        var arrived: [UInt32: [UInt8]] = [:]
        while arrived.count < payloads.count {
            let ready = senders.filter { $0.value.state == .sending || $0.value.state == .waiting }.keys.sorted()
            // At least one sender can always continue.
            let channel = try #require(ready.isEmpty ? nil : ready[Int(random.next() % UInt64(ready.count))])
            let frame = try #require(senders[channel]?.next().frame)
            var decoder = FrameDecoder(maximumFirstBody: FrameLimits.maximumBody)
            try frame.withBytes { bytes throws(WireError) in
                try decoder.feed(bytes) { header, body throws(WireError) in
                    guard let kind = MessageKind(rawValue: header.kind) else { return }
                    let receipt = try receiver.receive(kind, header.channel, body)
                    if case .whole(_, _, let payload) = receipt { arrived[header.channel] = payload }
                }
            }
            for grant in receiver.takeGrants() { senders[grant.channel]?.grant(grant.bytes) }
        }
        #expect(arrived == payloads)
        #expect(receiver.reservedBytes == 0)
        #expect(senders.values.allSatisfy { $0.state == .done })
    }
}

extension PartSender {
    fileprivate mutating func next() -> (frame: [UInt8], bytes: Int) {
        var frame: [UInt8] = []
        let bytes = appendFrame(to: &frame)
        return (frame, bytes)
    }
}
