package import LatticeWire

/// Whom a channel serves: a feature in a worker, a feature's view state in a coordinator.
package protocol ChannelHost: AnyObject, Sendable {
    /// An event came: runs it, or sends it on. On the event loop. One that runs ends with `server.complete`.
    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart

    /// The place to release what may be told, on the event loop: at the end of a tick in which something happened or
    /// room came, and in a long tick before.
    func release(_ server: ChannelServer, atEndOfTick: Bool)

    /// What was released has been written as far as the socket took it. On the event loop.
    func tickEnded(_ server: ChannelServer)

    /// The other side left the channel, or is gone for good: ends what runs. On the event loop.
    func close(_ server: ChannelServer)
}

extension ChannelHost {
    package func release(_ server: ChannelServer, atEndOfTick: Bool) {}
    package func tickEnded(_ server: ChannelServer) {}
    package func close(_ server: ChannelServer) {}
}

/// An event that came on a channel.
package struct IncomingEvent: ~Copyable {
    /// Its number on the channel.
    package let number: UInt64
    package let name: EventName
    package let terms: EventMetadata
    /// Valid as long as this.
    package let action: UnsafeRawBufferPointer
}

/// What became of an event that was started.
package enum EventStart {
    /// It has ended, which is told with the next release of a state. For hosts that release at the end of a tick.
    case ended(WireOutcome)
    /// It has ended, which the server was told or will be by `completeAndRelease`.
    case completed
    case running(any RunningEvent)
    /// It was sent on under this number, up to which its host is told what is applied.
    case forwarded(any RunningEvent, as: UInt64)
}

/// An event whose effects run.
package protocol RunningEvent: Sendable {
    func cancel()
}
