/// An error that an effect threw and nothing caught, in a form that can cross processes.
public struct EffectFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the error's type, without its module.
    public let type: String
    /// What the error says of itself.
    public let message: String

    public init(type: String, message: String) {
        self.type = type
        self.message = message
    }

    /// Describes `error`; an ``EffectFailure`` is taken as it is.
    public init(_ error: any Error) {
        if let failure = error as? EffectFailure {
            self = failure
        } else {
            self.init(type: String(describing: Swift.type(of: error)), message: String(describing: error))
        }
    }

    public var description: String { "\(type): \(message)" }
}

extension EffectFailure {
    /// The actions of one turn went over ``RuntimeLimits/actionsPerTurn``.
    static let endlessTurn = EffectFailure(
        type: "EndlessTurn",
        message: """
            One turn handled \(RuntimeLimits.actionsPerTurn) actions and still emitted more; it was stopped there. \
            Look for actions that emit one another with .action, or move the repetition into an effect.
            """
    )

    /// The name of an effect has 0 bytes, or more than ``RuntimeLimits/effectNameBytes``.
    static func effectName(bytes: Int) -> EffectFailure {
        EffectFailure(
            type: "EffectName",
            message: """
                The name of an effect has \(bytes) bytes, and 1 to \(RuntimeLimits.effectNameBytes) can be told; the effect \
                was not started. Name it by a number, or by the end of a path.
                """
        )
    }

    /// More effects with names than ``RuntimeLimits/namedEffects`` would run.
    static let tooManyNamedEffects = EffectFailure(
        type: "TooManyNamedEffects",
        message: """
            \(RuntimeLimits.namedEffects) effects with names run in the feature, and no more may; this one was not \
            started. Start the next when one has ended.
            """
    )
}
