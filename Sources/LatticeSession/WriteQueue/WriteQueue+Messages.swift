package import LatticeWire

extension WriteQueue {
    /// Payloads up to this size go out in one frame, built in place; larger messages are cut.
    static var maximumInline: Int { FrameLimits.maximumBody - 256 }

    /// With a payload up to this size a message fits into one frame, whatever names, sentences and context are beside
    /// it.
    static var maximumSmall: Int { FrameLimits.maximumBody / 4 }

    /// Adds a message of the control lane.
    package mutating func addControl(_ message: some WireMessageBody, on channel: UInt32 = 0) {
        addControl { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds a message of the session that must not overtake anything.
    package mutating func addLast(_ message: some WireMessageBody) {
        addLast { bytes in trusting { try message.appendFrame(to: &bytes) } }
    }

    /// Adds a message of the data lane.
    package mutating func addData(_ message: some WireMessageBody, on channel: UInt32) {
        addData(type(of: message).kind, on: channel, body: message.encoded)
    }

    /// The same of a message that fits into one frame, which is written where it stays.
    package mutating func addSmall(_ message: some WireMessageBody, on channel: UInt32) {
        addData(on: channel) { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds an event of the opener with which nothing travels, as almost all are.
    package mutating func addEvent(_ event: UInt64, action: [UInt8], on channel: UInt32) {
        guard action.count <= Self.maximumInline else {
            return addData(EventMessage(event: event, action: action), on: channel)
        }
        addData(on: channel) { bytes in
            EventMessage.appendFrame(to: &bytes, channel: channel, event: event, action: action)
        }
    }

    /// Adds any event.
    package mutating func addEvent(_ message: EventMessage, on channel: UInt32) {
        // What tracing has told may be more than there is room for.
        guard message.action.count <= Self.maximumInline, message.context?.trace == nil else {
            return addData(message, on: channel)
        }
        addData(on: channel) { bytes in trusting { try message.appendFrame(to: &bytes, channel: channel) } }
    }

    /// Adds an event again whose action is kept until it is acknowledged.
    package mutating func addKeptEvent(_ message: EventMessage, on channel: UInt32) {
        addKept(.event, on: channel, body: message.split)
    }

    /// Opens a channel; the state in it is kept.
    package mutating func addOpen(_ open: Open, on channel: UInt32) {
        if let state = open.state, goesInParts(state) { return addParts(open.inParts, payload: state, on: channel) }
        if let body = open.split { addKept(.open, on: channel, body: body) } else { addData(open, on: channel) }
    }

    /// Answers the opening of a channel.
    package mutating func addOpened(_ opened: Opened, on channel: UInt32) {
        guard goesInParts(opened.state) else { return addData(opened, on: channel) }
        addParts(opened.inParts, payload: opened.state, on: channel)
    }

    /// Adds what can be told of a state.
    ///
    /// - Parameter applied: The highest event that is in it.
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

    func goesInParts(_ payload: [UInt8]) -> Bool { payload.count > limits.wholeBytes }

    /// - Parameter message: Has the length of the payload in its place.
    private mutating func addParts<Message: WireMessageBody>(
        _ message: Message,
        payload: [UInt8],
        on channel: UInt32
    ) {
        let head = message.encoded
        // The configuration in `open` may be large.
        guard head.count <= FrameLimits.maximumBody else {
            return assertionFailure("a message above the size of a frame")
        }
        addParts(PartSender(Message.kind, on: channel, head: head, payload: payload), on: channel)
    }

    /// - Parameter last: The last of several events in a row that ended alike.
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

/// Runs an encoding that fails only above the size of a frame, which the callers exclude: control messages are bounded
/// far below it, and payloads are measured first.
private func trusting(_ encode: () throws -> Void) {
    do {
        try encode()
    } catch {
        assertionFailure("a message above the size of a frame: \(error)")
    }
}
