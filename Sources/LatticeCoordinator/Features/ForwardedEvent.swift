import LatticeSession
import LatticeWire

/// An event of a client, on its way to the worker and back.
final class ForwardedEvent: EventTicket, RunningEvent {
    /// Its number on the channel to the worker.
    private let sent: UInt64
    private let channel: ChannelClient
    private let onEnd: @Sendable (WireOutcome) -> Void

    init(as sent: UInt64, on channel: ChannelClient, onEnd: @escaping @Sendable (WireOutcome) -> Void) {
        self.sent = sent
        self.channel = channel
        self.onEnd = onEnd
    }

    func ended(_ outcome: WireOutcome) {
        onEnd(outcome)
    }

    func cancel() {
        channel.cancel(event: sent)
    }
}
