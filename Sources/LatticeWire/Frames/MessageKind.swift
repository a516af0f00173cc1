/// The kinds of messages with their numbers. A released number is never used again for another kind.
package enum MessageKind: UInt16, Sendable, Hashable, CaseIterable {
    // Messages of the session.
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
    case operate = 11
    case operated = 12

    // Messages that open and close a channel.
    case open = 16
    case opened = 17
    case openRefused = 18
    case close = 19
    case closed = 20
    case hostStatus = 21

    // Messages about events and states on a channel.
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
    case causes = 44

    // Messages between nodes.
    case actorCall = 48
    case actorReply = 49
    case actorCancel = 50
    case actorElements = 51
    case actorCredit = 52
    case namePublish = 53
    case nameWithdraw = 54
    case nameWatch = 55
    case nameUnwatch = 56
    case nameList = 57

    /// A lane of outgoing messages. Messages of the control lane are sent before those of the data lane.
    package enum Lane: Sendable, Hashable {
        /// Small messages that never wait behind a large one, and that are never chunked.
        case control
        /// Messages of any size, in chunks, first in, first out on each channel.
        case data
    }

    /// The lane on which messages of this kind are sent.
    package var lane: Lane {
        switch self {
        case .open, .opened, .event, .origin, .state, .patch, .part, .description, .operated, .actorCall,
            .actorReply, .actorElements, .namePublish, .nameWithdraw, .nameWatch, .nameUnwatch, .nameList:
            .data
        default: .control
        }
    }

    /// A Boolean value that indicates whether the message belongs on channel 0. All others belong on the channel of a
    /// feature.
    package var isSessionKind: Bool { rawValue < 16 || isCallKind }

    /// A Boolean value that indicates whether the message is about calls between nodes or about names.
    package var isCallKind: Bool { rawValue >= 48 }

    /// A Boolean value that indicates whether a reader that does not know the kind can ignore the message.
    package var isSkippable: Bool { self == .crashReport }

    /// A Boolean value that indicates whether the message belongs to the handshake, whose frames are small.
    package var isHandshake: Bool { self == .hello || self == .welcome || self == .refuse }
}
