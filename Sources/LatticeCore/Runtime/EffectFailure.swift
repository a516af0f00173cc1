/// An error that an effect threw and that nothing caught, in a form that can be sent to other processes.
public struct EffectFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the error's type, without its module.
    public let type: String
    /// The description of the error.
    public let message: String

    /// Creates a failure.
    public init(type: String, message: String) {
        self.type = type
        self.message = message
    }

    /// Creates a failure that describes `error`. If `error` is an ``EffectFailure``, the result is the same failure.
    public init(_ error: any Error) {
        if let failure = error as? EffectFailure {
            self = failure
        } else {
            self.init(type: String(describing: Swift.type(of: error)), message: String(describing: error))
        }
    }

    /// The type and the message, separated by a colon.
    public var description: String { "\(type): \(message)" }
}

extension EffectFailure {
    /// The number of actions in one turn exceeded ``RuntimeLimits/actionsPerTurn``.
    static let endlessTurn = EffectFailure(
        type: "EndlessTurn",
        message: """
            One turn handled \(RuntimeLimits.actionsPerTurn) actions and still emitted more, so it was stopped. \
            Look for actions that emit one another with .action, or move the repetition into an effect.
            """
    )

    /// The name of an effect is empty, or longer than ``RuntimeLimits/effectNameBytes``.
    static func effectName(bytes: Int) -> EffectFailure {
        EffectFailure(
            type: "EffectName",
            message: """
                The name of an effect has \(bytes) bytes, but must have 1 to \(RuntimeLimits.effectNameBytes). The \
                effect was not started. Use a shorter name, such as a number or the last part of a path.
                """
        )
    }

    /// An interactor rejected an action that was emitted after its event had been applied.
    static func rejectedTooLate(_ rejection: EventRejection) -> EffectFailure {
        EffectFailure(
            type: "RejectedTooLate",
            message: """
                An interactor rejected an action of an effect ("\(rejection.reason)"), but the event of the effect had \
                already been applied, so it failed. Reject the event itself, or let the effect throw an error.
                """
        )
    }

    /// Starting the effect would exceed the limit ``RuntimeLimits/namedEffects``.
    static let tooManyNamedEffects = EffectFailure(
        type: "TooManyNamedEffects",
        message: """
            \(RuntimeLimits.namedEffects) named effects run in the feature, which is the maximum, so this one was not \
            started. Start the next one when one of them has ended.
            """
    )
}
