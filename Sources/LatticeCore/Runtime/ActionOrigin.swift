/// The origin of an action that a runtime handled.
package enum ActionOrigin: Sendable {
    /// The action was sent from outside.
    case sent
    /// The action was emitted, by an effect or synchronously, in the tree of an event. The value is nil for the event
    /// that is being sent.
    case emitted(by: EventCompletion?)
}
