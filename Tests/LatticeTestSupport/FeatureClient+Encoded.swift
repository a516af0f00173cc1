package import LatticeCore
package import LatticeHosting
import LatticeSession

extension FeatureClient {
    /// Sends bytes as an action, under a name that somebody else gave it.
    package func send(encoded action: [UInt8], as id: EventID? = nil) -> EventCompletion {
        let name = id.map { id in
            EventName(
                origin: EventName.Origin(sender: id.origin.sender.value, channel: id.channel),
                number: id.number
            )
        }
        return channel.send(action, as: name) { EventCompletion(canceller: self, event: $0) }.ticket
    }
}
