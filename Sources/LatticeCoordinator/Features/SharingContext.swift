import LatticeCore
import LatticeSession
import LatticeTransport

/// What all view states of an instance have in common.
struct SharingContext: Sendable {
    let instance: RuntimeEvent.Instance
    let eventLoop: any EventLoop
    let events: ClientEvents
    /// The maximum size of an encoded view state in bytes.
    let maximumBytes: Int
    let limits: ChannelLimits
    let runtimeEvents: RuntimeEvents
    /// The order of the operations on the clients.
    let order: SharingOrder

    init(
        _ instance: RuntimeEvent.Instance,
        on eventLoop: any EventLoop,
        events: ClientEvents,
        maximumBytes: Int,
        limits: ChannelLimits,
        runtimeEvents: RuntimeEvents = .none
    ) {
        self.instance = instance
        self.eventLoop = eventLoop
        self.events = events
        self.maximumBytes = maximumBytes
        self.limits = limits
        self.runtimeEvents = runtimeEvents
        order = SharingOrder(on: eventLoop)
    }
}
