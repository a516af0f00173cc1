import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport

/// A client that has channels or running events at an instance. All channels of the client share it, and it keeps those
/// that the client left while their events were running.
///
/// It exists as long as a channel or an event refers to it, and so does the client's slot in the shares. It belongs to
/// the event loop.
final class ClientMembership: Sendable {
    let client: EventSender
    let slot: EventShares<ForwardedEvent>.Slot
    let events: ClientEvents
    /// The channels that the client no longer has and whose events still run.
    private let leftBehind: LoopBound<[ChannelServer]>

    init(of client: EventSender, _ slot: Int, in events: ClientEvents) {
        self.client = client
        self.slot = slot
        self.events = events
        leftBehind = LoopBound([], to: events.eventLoop.thread)
    }

    deinit {
        // Later, because the last reference may be released on another thread, or by what the events are changed by.
        events.eventLoop.execute { [events, client, slot] in events.forget(client, slot) }
    }

    /// Keeps a channel that the client left, if it has running events.
    func leaveBehind(_ channel: ChannelServer) {
        leftBehind.value.removeAll { $0 === channel || !$0.hasRunning }
        if channel.hasRunning { leftBehind.value.append(channel) }
    }

    /// The channels that the client no longer has and whose events may still run.
    var channelsLeftBehind: [ChannelServer] { leftBehind.value }

    /// Cancels the running events of channels that the client no longer has.
    func cancelLeftBehind() {
        for channel in leftBehind.value { channel.cancelRunning(reason: "The client was lost.") }
    }
}
