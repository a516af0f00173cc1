/// What happens to an effect whose worker terminates while it runs.
public enum InterruptionPolicy: Sendable, Hashable {
    /// The effect's event ends as ``EventOutcome/failed(_:)``, with a message that names the effect.
    case fail
    /// ``HostedFeature/recovery(from:in:)`` finds the effect in ``Interruption/effects`` and can start it again.
    ///
    /// The associated value is the number of worker terminations, from 1 to 1,000, that are tolerated while the effect
    /// runs. Only terminations that the worker itself caused are counted. The next one makes the event fail. The value
    /// 0 is the same as ``fail``.
    case recover(atMost: Int)
}

extension Emission {
    /// Gives the effects of this emission a name, so that the coordinator knows that they run.
    ///
    /// In a worker, a named effect starts after two things have been written to the coordinator: the state that
    /// requested it, and its name. If the worker terminates while the effect runs, the policy determines what follows.
    /// An effect without a name is lost in that case, and its event ends as ``EventOutcome/interrupted(_:)``. In
    /// process, a name has no effect.
    ///
    /// ```swift
    /// case .convert(let file):
    ///     return .run { send in try await convert(file, send) }
    ///         .named(file.path, whenInterrupted: .recover(atMost: 2))
    /// ```
    ///
    /// An effect counts as running until its closure has returned and its result is acknowledged. A `run` that has sent
    /// its last action and is about to return can therefore run twice. A `perform`, which returns its action, cannot.
    /// Effects of ``HostedFeature/started(_:in:)`` start in every incarnation of the worker, so they need no name.
    ///
    /// The name applies to every `perform`, `run` and `observe`, including those in merges and appends. An effect that
    /// has a name keeps it. Other modifiers keep the name too, so the order of modifiers does not matter. Effects with
    /// the same name count as one.
    ///
    /// - Parameters:
    ///   - name: A name of 1 to 255 bytes of UTF-8, which must be the same for the same work in each incarnation. The
    ///     effect does not start if the name is empty or longer, or if 4,096 named effects already run in the feature.
    ///     Its event then fails, and the other effects of the event are cancelled.
    ///   - policy: What happens if the effect is interrupted.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func named(_ name: String, whenInterrupted policy: InterruptionPolicy) -> Self {
        let label = EffectLabel(name: name, policy: policy)
        return mapEffects { $0.label == nil ? $0.with(label: label) : nil }
    }
}

/// The name of an effect and its interruption policy.
final class EffectLabel: Sendable {
    let name: String
    let policy: InterruptionPolicy

    init(name: String, policy: InterruptionPolicy) {
        self.name = name
        self.policy = policy
    }
}
