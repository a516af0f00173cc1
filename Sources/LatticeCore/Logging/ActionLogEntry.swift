/// The log entry of one action, which `Interactor.logActions(_:clock:to:)` produces.
public struct ActionLogEntry<Action: Sendable>: Sendable, CustomStringConvertible {
    /// The name of the interactor, as it was passed to `logActions`.
    public let name: String
    /// The action that was handled.
    public let action: Action
    /// The time that the interactor took to handle the action, without its effects.
    public let duration: Duration
    /// Whether the action changed the state, or nil if states cannot be compared.
    public let changedState: Bool?
    /// Whether the action started effects.
    public let hasEffects: Bool

    /// The entry in one line, such as `SearchInteractor: query("a") in 1.2e-06 seconds, state changed, with effects`.
    public var description: String {
        let change =
            switch changedState {
            case true?: ", state changed"
            case false?: ", state unchanged"
            case nil: ""
            }
        return "\(name): \(action) in \(duration)\(change)\(hasEffects ? ", with effects" : "")"
    }
}
