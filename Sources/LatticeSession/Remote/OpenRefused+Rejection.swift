import LatticeCore
import LatticeWire

extension OpenRefused {
    /// What an event hears that is sent on the channel.
    var rejection: EventRejection {
        let rejection: EventRejection =
            switch code {
            case .schema: .schema
            case .tooMany: .overloaded
            default: .closed
            }
        return rejection.with(reason: reason)
    }
}
