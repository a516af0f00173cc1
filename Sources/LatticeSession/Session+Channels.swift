import LatticeConcurrency
import LatticeWire

/// The channels between which a session routes. On the event loop.
extension Session {
    /// From now on `channel` gets what comes under its number, until `detach` or the end. On the event loop.
    package func attach(_ channel: any SessionChannel, as number: UInt32) {
        multiplexer.attach(channel, as: number)
    }

    /// What still comes under the number is for nobody. On the event loop.
    package func detach(_ number: UInt32) {
        multiplexer.detach(number)
        output.withLock { $0.forget(number) }
    }

    /// Whether either side has opened a channel of this number, whatever became of it. On the event loop.
    package func wasOpened(_ number: UInt32) -> Bool { multiplexer.wasOpened(number) }
}
