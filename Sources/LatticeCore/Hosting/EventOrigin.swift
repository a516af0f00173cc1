/// Where events come from: one channel of one sender. All its events share it.
package final class EventOrigin: Hashable, Sendable {
    package let sender: EventSender
    /// The number of the channel at the sender, which never uses it for another one.
    package let channel: UInt32
    /// The feature's identifier.
    package let feature: String
    /// The instance key; empty for the only one.
    package let instance: String

    package init(sender: EventSender, channel: UInt32, feature: String, instance: String) {
        self.sender = sender
        self.channel = channel
        self.feature = feature
        self.instance = instance
    }

    package static func == (left: EventOrigin, right: EventOrigin) -> Bool {
        left.sender == right.sender && left.channel == right.channel && left.feature == right.feature
            && left.instance == right.instance
    }

    package func hash(into hasher: inout Hasher) {
        // Feature and instance follow from these.
        hasher.combine(sender)
        hasher.combine(channel)
    }
}
