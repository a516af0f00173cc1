/// Any message of version 1, for who does not care which one it is: tools, tests, logs.
package enum WireMessage: Sendable {
    /// Reads the body of a message.
    ///
    /// - Throws: ``WireError``; `unknownKind` for kinds that version 1 does not send.
    package static func decode(
        _ kind: MessageKind,
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> any WireMessageBody {
        guard let type = bodyType(of: kind) else { throw .unknownKind(kind.rawValue) }
        return try type.init(decoding: bytes)
    }

    /// The type that holds the body of a kind, or nil for kinds that version 1 does not send.
    package static func bodyType(of kind: MessageKind) -> (any WireMessageBody.Type)? {
        switch kind {
        case .hello: Hello.self
        case .welcome: Welcome.self
        case .refuse: Refuse.self
        case .goodbye: Goodbye.self
        case .ping: Ping.self
        case .pong: Pong.self
        case .drain: Drain.self
        case .drained: Drained.self
        case .describe: Describe.self
        case .description: Description.self
        case .open: Open.self
        case .opened: Opened.self
        case .openRefused: OpenRefused.self
        case .close: Close.self
        case .closed: Closed.self
        case .hostStatus: HostStatusMessage.self
        case .event: EventMessage.self
        case .state: StateMessage.self
        case .completion: CompletionMessage.self
        case .acknowledgement: AcknowledgementMessage.self
        case .cancel: CancelMessage.self
        case .origin: OriginMessage.self
        case .patch, .actorCall, .actorReply: nil
        }
    }
}
