package import LatticeWire

/// The owner of what a channel serves: a feature in a worker, or a feature's view state in a coordinator.
package protocol ChannelHost: AnyObject, Sendable {
    /// Runs an event that came on the channel, or forwards it.
    ///
    /// Called on the event loop. When a running event ends, the host calls `server.complete`.
    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart

    /// Releases the states and outcomes that may be sent to the peer.
    ///
    /// Called on the event loop at the end of each tick in which something happened or room became available. During a
    /// long tick it is also called earlier.
    func release(_ server: ChannelServer, atEndOfTick: Bool)

    /// Notifies the host that the released messages have been written as far as the socket accepted them. Called on the
    /// event loop.
    func tickEnded(_ server: ChannelServer)

    /// Returns a reader of the events that states contain, for a peer that receives them. Otherwise nil.
    func makeCauseReader() -> (any CauseReader)?

    /// Ends everything that runs, because the peer left the channel or is permanently gone. Called on the event loop.
    func close(_ server: ChannelServer)
}

extension ChannelHost {
    /// Does nothing. For hosts that release at once.
    package func release(_ server: ChannelServer, atEndOfTick: Bool) {}
    /// Does nothing.
    package func tickEnded(_ server: ChannelServer) {}
    /// Returns nil, for hosts whose peers receive states alone.
    package func makeCauseReader() -> (any CauseReader)? { nil }
    /// Does nothing. For hosts in which nothing runs.
    package func close(_ server: ChannelServer) {}
}

/// A reader of the events that the states of a coordinator contain.
package protocol CauseReader: AnyObject, Sendable {
    /// Returns the message about the events in a range of forwarded numbers, or nil if not all of them are known.
    /// Called on the event loop.
    ///
    /// - Parameters:
    ///   - first: The number through which the state before contains all events.
    ///   - last: The number through which the state contains all events.
    ///   - revision: The revision of the state.
    func causes(after first: UInt64, through last: UInt64, of revision: UInt64) -> CausesMessage?
}

/// An event that arrived on a channel.
package struct IncomingEvent: ~Copyable {
    /// The number of the event on the channel.
    package let number: UInt64
    /// The name of the event: its origin and its number there.
    package let name: EventName
    /// The deadline and the trace context of the event.
    package let metadata: EventMetadata
    /// The encoded action. The buffer is valid as long as this value.
    package let action: UnsafeRawBufferPointer
}

/// The result of starting an event.
package enum EventStart {
    /// The event has ended. Its outcome is sent with the next release of a state. For hosts that release at the end of
    /// a tick.
    case ended(WireOutcome)
    /// The event has ended, and the host calls `recordOutcome` and `releaseOutcomes`, or has already called them.
    case completed
    /// The event runs and can be cancelled.
    case running(any RunningEvent)
    /// The event was forwarded under this number. The host is later notified up to which forwarded number events are
    /// applied.
    case forwarded(any RunningEvent, as: UInt64)
}

/// An event whose effects are running.
package protocol RunningEvent: Sendable {
    /// Cancels the effects of the event, for the given reason.
    func cancel(_ cancellation: WireCancellation)
}
