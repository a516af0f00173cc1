import LatticeConcurrency
import LatticeWire

/// The channels to which a session routes messages. Use these methods on the event loop only.
extension Session {
    /// Routes the messages with this channel number to `channel`, until `detach` is called or the session ends. Call it
    /// on the event loop.
    package func attach(_ channel: any SessionChannel, as number: UInt32) {
        loopState.value.multiplexer.attach(channel, as: number)
    }

    /// Stops the routing of messages with this channel number. Later messages of the channel are not delivered to it.
    /// Call it on the event loop.
    package func detach(_ number: UInt32) {
        loopState.value.multiplexer.detach(number)
        output.withLock { $0.forget(number) }
    }

    /// Returns whether either side has ever opened a channel with this number, even if it has been closed since. Call
    /// it on the event loop.
    package func wasOpened(_ number: UInt32) -> Bool { loopState.value.multiplexer.wasOpened(number) }
}
