package import LatticeCore
package import LatticeHosting
import LatticeSession

extension FeatureClient {
    /// Sends an encoded action, optionally with an event ID that another sender chose.
    package func send(encoded action: [UInt8], as id: EventID? = nil) -> EventCompletion {
        let name = id.map { id in
            EventName(
                origin: EventName.Origin(sender: id.origin.sender.value, channel: id.channel),
                number: id.number
            )
        }
        var made: EventCompletion?
        _ = channel.send(action, as: name) { number in
            let completion = EventCompletion(canceller: actions, event: number)
            made = completion
            return completion
        }
        return made ?? EventCompletion()
    }
}
