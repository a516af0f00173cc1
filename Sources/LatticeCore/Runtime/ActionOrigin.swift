/// Where an action that a runtime handled came from.
package enum ActionOrigin: Sendable {
    /// Sent from outside.
    case sent
    /// Emitted, by an effect or synchronously, in the tree of an event; nil for the event that is being sent.
    case emitted(by: EventCompletion?)
}
