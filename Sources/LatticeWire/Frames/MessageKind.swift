/// The numbers of the messages. A released number is never used again for anything else.
package enum MessageKind: UInt16, Sendable, Hashable, CaseIterable {
    // The session.
    case hello = 1
    case welcome = 2
    case refuse = 3
    case goodbye = 4
    case ping = 5
    case pong = 6
    case drain = 7
    case drained = 8
    case describe = 9
    case description = 10

    // The life of a channel.
    case open = 16
    case opened = 17
    case openRefused = 18
    case close = 19
    case closed = 20
    case hostStatus = 21

    // What a channel is for.
    case event = 32
    case state = 33
    case patch = 34
    case completion = 35
    case acknowledgement = 36
    case cancel = 37
    case origin = 38
    case resync = 39
    case part = 40
    case credit = 41
    case effects = 42
    case crashReport = 43

    // What nodes say to each other.
    case actorCall = 48
    case actorReply = 49
    case actorCancel = 50
    case actorElements = 51
    case actorCredit = 52

    /// What waits for what on the way out.
    package enum Lane: Sendable, Hashable {
        /// Small messages that never wait behind a large one, and that are never chunked.
        case control
        /// Messages of any size, in chunks, first in, first out on each channel.
        case data
    }

    package var lane: Lane {
        switch self {
        case .open, .opened, .event, .origin, .state, .patch, .part, .description, .actorCall, .actorReply,
            .actorElements:
            .data
        default: .control
        }
    }

    /// Whether the message belongs on channel 0; all others belong on the channel of a feature.
    package var isSessionKind: Bool { rawValue < 16 || isCallKind }

    /// Whether it is about a call of one node by another.
    package var isCallKind: Bool { rawValue >= 48 }

    /// Whether who does not know the kind can do without it.
    package var isSkippable: Bool { self == .crashReport }

    /// Whether it is part of the handshake, whose frames are small.
    package var isHandshake: Bool { self == .hello || self == .welcome || self == .refuse }
}
