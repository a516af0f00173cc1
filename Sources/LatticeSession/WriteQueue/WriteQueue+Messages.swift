package import LatticeWire

extension WriteQueue {
    /// The maximum size in bytes of a payload that is sent in one frame, which is built in place. Larger messages are
    /// cut.
    static var maximumInline: Int { FrameLimits.maximumBody - 256 }

    /// The maximum size in bytes of a payload with which a message always fits into one frame, including its names,
    /// sentences and context.
    static var maximumSmall: Int { FrameLimits.maximumBody / 4 }

    /// Adds a message of the control lane.
    package mutating func addControl(_ message: some WireMessageBody, on channel: UInt32 = 0) {
        addControl { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds a message of the session that must not overtake any other message.
    package mutating func addLast(_ message: some WireMessageBody) {
        addLast { bytes in trusting { try message.appendFrame(to: &bytes) } }
    }

    /// Adds a message of the data lane.
    package mutating func addData(_ message: some WireMessageBody, on channel: UInt32) {
        addData(type(of: message).kind, on: channel, body: message.encoded)
    }

    /// Adds a message of the data lane that fits into one frame. The frame is built in place.
    package mutating func addSmall(_ message: some WireMessageBody, on channel: UInt32) {
        addData(on: channel) { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds an event without metadata. Almost all events are of this kind.
    ///
    /// - Parameters:
    ///   - event: The number of the event.
    ///   - action: The encoded action.
    ///   - origin: The sender of the event. Nil if that is the opener of the channel.
    ///   - channel: The channel of the event.
    package mutating func addEvent(
        _ event: UInt64,
        action: [UInt8],
        of origin: EventMessage.Origin? = nil,
        on channel: UInt32
    ) {
        guard action.count <= Self.maximumInline else {
            return addData(EventMessage(event: event, action: action, origin: origin), on: channel)
        }
        addData(on: channel) { bytes in
            EventMessage.appendFrame(to: &bytes, channel: channel, event: event, action: action, origin: origin)
        }
    }

    /// Adds any event.
    package mutating func addEvent(_ message: EventMessage, on channel: UInt32) {
        // The trace context may be too large for one frame.
        guard message.action.count <= Self.maximumInline, message.context?.trace == nil else {
            return addData(message, on: channel)
        }
        addData(on: channel) { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds an event that is sent again, whose action is kept until it is acknowledged.
    package mutating func addKeptEvent(_ message: EventMessage, on channel: UInt32) {
        addKept(.event, on: channel, body: message.split)
    }

    /// Adds `open`. The state in it is kept by the channel, so it does not count against the limit.
    package mutating func addOpen(_ open: Open, on channel: UInt32) {
        if let state = open.state, goesInParts(state) { return addParts(open.inParts, payload: state, on: channel) }
        if let body = open.split { addKept(.open, on: channel, body: body) } else { addData(open, on: channel) }
    }

    /// Adds `opened`, the answer to `open`.
    package mutating func addOpened(_ opened: Opened, on channel: UInt32) {
        guard goesInParts(opened.state) else { return addData(opened, on: channel) }
        addParts(opened.inParts, payload: opened.state, on: channel)
    }

    /// Adds a state or a change of it.
    ///
    /// - Parameters:
    ///   - offer: The state or the change.
    ///   - applied: The highest event that is contained in the state.
    ///   - channel: The channel.
    package mutating func addState(_ offer: StateOffer, applied: UInt64, on channel: UInt32) {
        switch offer.content {
        case .snapshot(let state) where goesInParts(state):
            let length = UInt64(state.count)
            let message = StateMessage(revision: offer.revision, applied: applied, state: [], length: length)
            return addParts(message, payload: state, on: channel)
        case .patch(let base, let changes) where goesInParts(changes):
            let length = UInt64(changes.count)
            let (revision, none) = (offer.revision, [UInt8]())
            let message = PatchMessage(base: base, revision: revision, applied: applied, changes: none, length: length)
            return addParts(message, payload: changes, on: channel)
        case .snapshot, .patch:
            break
        }
        guard offer.count <= Self.maximumInline else {
            let (kind, body) = offer.message(applied: applied)
            return addData(kind, on: channel, body: body)
        }
        addData(on: channel) { offer.appendFrame(to: &$0, applied: applied, channel: channel) }
    }

    /// Returns whether a payload is sent in parts.
    func goesInParts(_ payload: [UInt8]) -> Bool { payload.count > limits.wholeBytes }

    /// Adds a message with a payload in parts.
    ///
    /// - Parameters:
    ///   - message: The message, which contains the length of the payload instead of the payload.
    ///   - payload: The payload.
    ///   - channel: The channel.
    private mutating func addParts<Message: WireMessageBody>(
        _ message: Message,
        payload: [UInt8],
        on channel: UInt32
    ) {
        let head = message.encoded
        // This can fail if the configuration in `open` is large.
        guard head.count <= FrameLimits.maximumBody else {
            return assertionFailure("A message exceeds the size of a frame.")
        }
        addParts(PartSender(Message.kind, on: channel, head: head, payload: payload), on: channel)
    }

    /// Adds the outcome of an event, or of several consecutive events with the same outcome.
    ///
    /// - Parameters:
    ///   - event: The number of the first event.
    ///   - last: The number of the last event, or nil for a single event.
    ///   - revision: The revision of the state that the outcome belongs to.
    ///   - outcome: The outcome.
    ///   - channel: The channel.
    package mutating func addCompletion(
        _ event: UInt64,
        through last: UInt64? = nil,
        revision: UInt64,
        outcome: WireOutcome,
        on channel: UInt32
    ) {
        addControl(CompletionMessage(event: event, through: last, revision: revision, outcome: outcome), on: channel)
    }
}

/// Runs an encoding that fails only if a message exceeds the size of a frame. The callers exclude this: control
/// messages are much smaller, and payloads are measured first.
private func trusting(_ encode: () throws -> Void) {
    do {
        try encode()
    } catch {
        assertionFailure("A message exceeds the size of a frame: \(error)")
    }
}
