/// What ``Interactor/logActions(_:clock:to:)`` says of one action.
public struct ActionLogEntry<Action: Sendable>: Sendable, CustomStringConvertible {
    /// Who handled it: the name given to `logActions`.
    public let name: String
    /// What was handled.
    public let action: Action
    /// How long it took to handle it, without the effects that it asked for.
    public let duration: Duration
    /// Whether the state is another one now; nil where states cannot be compared.
    public let changedState: Bool?
    /// Whether it asked for effects.
    public let hasEffects: Bool

    /// One line, such as `SearchInteractor: query("a") in 1.2e-06 seconds, state changed, with effects`.
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
