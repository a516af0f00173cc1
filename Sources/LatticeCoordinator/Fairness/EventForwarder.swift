import LatticeConcurrency
import LatticeCore
import LatticeSession

/// One client's way to an instance, over whichever of its channels: serves these, and knows what they left running.
///
/// It is there as long as a channel or an event has it, and so is the client's place among the others.
final class EventForwarder: ChannelHost {
    let client: EventSender
    let slot: EventShares<ForwardedEvent>.Slot
    let events: ClientEvents
    /// Channels that the client does not have any more, and whose events run.
    private let leftBehind = Locked<[ChannelServer]>([])

    init(of client: EventSender, _ slot: Int, in events: ClientEvents) {
        self.client = client
        self.slot = slot
        self.events = events
    }

    deinit {
        events.forget(client, slot)
    }

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        events.start(event, of: self, on: server)
    }

    /// Nobody will ask any more for what the channel has running.
    func leaveBehind(_ channel: ChannelServer) {
        leftBehind.withLock { channels in
            channels.removeAll { $0 === channel || !$0.hasRunning }
            if channel.hasRunning { channels.append(channel) }
        }
    }

    /// Cancels what channels have running that the client does not have any more.
    func cancelLeftBehind() {
        for channel in leftBehind.withLock(\.self) { channel.cancelRunning() }
    }
}
