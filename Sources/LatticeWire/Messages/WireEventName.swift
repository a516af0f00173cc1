/// The name of an event, which is unique everywhere and forever.
package struct WireEventName: FieldedBody, Sendable, Equatable {
    package static let name = "an event"

    /// The sender's identity: 16 bytes.
    package var sender: [UInt8] = []
    /// The number of the sender's channel, above 0.
    package var channel: UInt32 = 0
    /// The identifier of the feature.
    package var feature = ""
    /// The instance key; empty for the only instance.
    package var instance = ""
    /// The event's number on that channel.
    package var number: UInt64 = 0

    package init(sender: [UInt8], channel: UInt32, feature: String, instance: String, number: UInt64) {
        self.sender = sender
        self.channel = channel
        self.feature = feature
        self.instance = instance
        self.number = number
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "sender", &sender, .identity())
        try coder.field(2, "channel", &channel, .number(in: 1...UInt32.max))
        try coder.field(3, "feature", &feature, .identifier)
        try coder.field(4, "instance", &instance, .text(0...MessageLimits.maximumInstance))
        try coder.field(5, "number", &number, .growing)
    }
}
