/// What a channel opens.
package struct ChannelSubject: Sendable {
    package let feature: String
    package let schema: Int
    package let instance: String
    /// Whether the other side starts from the state that this side knows, as a new worker does.
    package let restoresState: Bool

    package init(feature: String, schema: Int, instance: String, restoresState: Bool) {
        self.feature = feature
        self.schema = schema
        self.instance = instance
        self.restoresState = restoresState
    }
}
