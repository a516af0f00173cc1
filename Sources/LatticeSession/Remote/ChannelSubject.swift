package import LatticeCore

/// What a channel opens.
package struct ChannelSubject: Sendable {
    package let feature: String
    package let schema: Int
    package let instance: String
    /// Whether the other side starts from the state that this side knows, as a new worker does.
    package let restoresState: Bool
    /// Who this side is to whoever handles its events; nil: nobody in particular.
    package let sender: EventSender?

    package init(
        feature: String,
        schema: Int,
        instance: String,
        restoresState: Bool,
        sender: EventSender? = nil
    ) {
        self.feature = feature
        self.schema = schema
        self.instance = instance
        self.restoresState = restoresState
        self.sender = sender
    }
}
