import LatticeCoding
import LatticeConcurrency
import LatticeTransport
import LatticeWire

/// Payloads that arrive in parts. All methods run on the event loop.
extension Session {
    /// Handles a message that belongs to a payload in parts.
    ///
    /// - Returns: Whether the message was handled. If `false`, it is an ordinary message that the caller must handle.
    func receivesInParts(
        _ kind: MessageKind,
        _ channel: UInt32,
        _ body: UnsafeRawBufferPointer
    ) throws(WireError) -> Bool {
        switch try loopState.value.parts.receive(kind, channel, body) {
        case .other:
            return false
        case .taken:
            if kind == .open { loopState.value.multiplexer.opened(channel) }
            giveCredit()
        case .whole(let kind, let body, let payload):
            giveCredit()
            try receive(kind, channel, body, payload: payload)
        }
        return true
    }

    /// Receives credit: the other side accepts more bytes of the payloads that this side sends in parts on a channel.
    func receive(credit bytes: UInt64, _ channel: UInt32) {
        output.withLock { $0.queue.grant(bytes, on: channel) }
        flushSoon()
    }

    /// Receives a message whose payload followed it in parts and is now complete.
    private func receive(
        _ kind: MessageKind,
        _ channel: UInt32,
        _ body: [UInt8],
        payload: [UInt8]
    ) throws(WireError) {
        if kind == .open {
            var open = try Open(decoding: body)
            open.state = payload
            open.length = nil
            return try loopState.value.handler?.session(self, opens: channel, open) ?? ()
        }
        try body.withBytes { body throws(WireError) in
            if let attached = loopState.value.multiplexer.channel(for: channel) {
                try attached.receive(kind, body, payload: payload)
            } else {
                try loopState.value.handler?.session(self, received: kind, onUnattached: channel, body: body)
            }
        }
    }

    func giveCredit() {
        for grant in loopState.value.parts.takeGrants() {
            sendControl(CreditMessage(bytes: grant.bytes), on: grant.channel)
        }
    }
}
