import LatticeCore
import LatticeWire

extension OpenRefused {
    /// What an event hears that is sent on the channel.
    var rejection: EventRejection {
        let rejection: EventRejection = code == .schema ? .schema : .closed
        return rejection.with(reason: reason)
    }
}
