import LatticeWire

/// Streams of frames that show what the rules allow.
enum VectorStreams {
    struct Message: Equatable {
        var kind: UInt16
        var channel: UInt32
        var body: [UInt8]
    }

    struct Stream {
        var name: String
        var sender = SessionSide.initiator
        var bytes: [UInt8]
        var messages: [Message]
    }

    static let all: [Stream] = [
        stream("one frame", [(.ping, [], 0, Ping(number: 1).encoded)]),
        stream("two frames", [(.ping, [], 0, Ping(number: 1).encoded), (.pong, [], 0, Ping(number: 1).encoded)]),
        stream("a known kind that is skippable", [(.ping, .skippable, 0, [0xa1, 1, 1])]),
        stream("the largest channel", [(.cancel, [], .max, CancelMessage(event: 1).encoded)]),
        stream("a state in three chunks", [(.state, .more, 7, a), (.state, .more, 7, b), (.state, [], 7, c)]),
        stream(
            "control messages between the chunks of their channel",
            [(.state, .more, 7, a), (.completion, [], 7, done), (.state, .more, 7, b), (.ping, [], 0, [0xa1, 1, 1])]
                + [(.state, [], 7, c)]
        ),
        stream(
            "chunks of two channels in turn",
            [(.state, .more, 7, a), (.state, .more, 8, a), (.state, .more, 7, b), (.event, [], 9, event)]
                + [(.state, [], 7, c), (.state, .more, 8, b), (.state, [], 8, c)]
        ),
        stream(
            "channels that are opened by ascending numbers, some left out",
            [(.open, [], 3, open), (.close, [], 3, [0xa0]), (.open, [], 5, open), (.open, [], .max, open)]
        ),
        stream(
            "channels that are opened by who accepted the session",
            from: .acceptor,
            [(.open, [], 2, open), (.event, [], 7, event), (.open, [], 6, open), (.open, [], .max - 1, open)]
        ),
        stream(
            "channels whose opening begins in order and ends in another",
            [(.open, .more, 3, Array(open[..<1])), (.open, [], 5, open), (.open, [], 3, Array(open[1...]))]
        ),
        stream(
            "a state in parts, with other messages between them",
            [(.state, [], 7, inParts), (.part, [], 7, part), (.completion, [], 7, done), (.state, [], 8, state)]
                + [(.part, [], 7, part), (.state, [], 7, state)]
        ),
        stream(
            "a part in chunks, and a channel that opens in parts",
            [(.open, [], 3, openInParts), (.part, .more, 3, Array(part[..<2])), (.part, [], 3, Array(part[2...]))]
        ),
        skipped,
        skippedBeforeHello,
    ]

    private static let inParts = StateMessage(revision: 2, applied: 1, state: [], length: 4).encoded
    private static let part = PartMessage(bytes: [1, 2]).encoded
    private static let openInParts = Open(feature: "t", schema: 1, state: [1, 2]).inParts.encoded

    private static let state = StateMessage(revision: 2, applied: 1, state: [1, 2, 3, 4]).encoded
    private static let a = Array(state[..<1])
    private static let b = Array(state[1..<6])
    private static let c = Array(state[6...])
    private static let done = CompletionMessage(event: 1, revision: 2, outcome: .finished).encoded
    private static let open = Open(feature: "t", schema: 1).encoded
    private static let event = EventMessage(event: 1, action: [0xa0]).encoded

    private static func stream(
        _ name: String,
        from sender: SessionSide = .initiator,
        _ frames: [(MessageKind, FrameFlags, UInt32, [UInt8])]
    ) -> Stream {
        var bytes: [UInt8] = []
        var open: [UInt32: [UInt8]] = [:]
        var messages: [Message] = []
        for (kind, flags, channel, body) in frames {
            FrameHeader(length: UInt32(body.count), kind: kind, flags: flags, channel: channel).append(to: &bytes)
            bytes += body
            guard kind.lane == .data else {
                messages.append(Message(kind: kind.rawValue, channel: channel, body: body))
                continue
            }
            open[channel, default: []] += body
            guard !flags.contains(.more) else { continue }
            messages.append(
                Message(kind: kind.rawValue, channel: channel, body: open.removeValue(forKey: channel) ?? [])
            )
        }
        return Stream(name: name, sender: sender, bytes: bytes, messages: messages)
    }

    /// Frames of kinds that version 1 does not know, flagged so that they are skipped.
    private static let skippable: [UInt8] = [13, 45, 58, 999].flatMap { (kind: UInt16) in
        var bytes: [UInt8] = []
        FrameHeader(length: 1, kind: kind, flags: [.skippable, .more], channel: 7).append(to: &bytes)
        return bytes + [0xff]
    }

    private static let skipped: Stream = {
        let last = stream("", [(.ping, [], 0, Ping(number: 1).encoded)])
        return Stream(
            name: "skippable frames of unknown kinds",
            bytes: skippable + last.bytes,
            messages: last.messages
        )
    }()

    private static let skippedBeforeHello: Stream = {
        let identity = [UInt8](repeating: 0x11, count: 16)
        let hello = Hello(role: .client, incarnation: 0, identity: identity, processID: 7, features: [])
        let last = stream("", [(.hello, [], 0, hello.encoded)])
        return Stream(
            name: "skippable frames of unknown kinds before the handshake",
            bytes: skippable + last.bytes,
            messages: last.messages
        )
    }()
}
