/// What becomes of an effect whose worker dies while it runs.
public enum InterruptionPolicy: Sendable, Hashable {
    /// The event that it belongs to ends ``EventOutcome/failed(_:)``, with a sentence that names the effect.
    case fail
    /// ``HostedFeature/recovery(from:in:)`` finds it in ``Interruption/effects``, and may start it again. After so many
    /// workers that ended by their own doing while it ran, from 1 to 1,000, the next one makes its event fail instead;
    /// 0 is the same as ``fail``.
    case recover(atMost: Int)
}

extension Emission {
    /// Gives the effects of this emission a name under which a coordinator knows that they run.
    ///
    /// In a worker, such an effect starts when the state that asked for it and the name have been written to its
    /// coordinator. If the worker dies while it runs, its policy says what follows; effects without a name are only
    /// gone, and their events ``EventOutcome/interrupted(_:)``. In process there is nobody to die, and nothing follows
    /// from a name.
    ///
    /// ```swift
    /// case .convert(let file):
    ///     return .run { send in try await convert(file, send) }
    ///         .named(file.path, whenInterrupted: .recover(atMost: 2))
    /// ```
    ///
    /// An effect runs until its closure has returned and what came of it is acknowledged. One that has sent its last
    /// action and is about to return may so be done twice; a `perform`, which returns its action, is not. What
    /// ``HostedFeature/started(_:in:)`` asks for is asked for in each life, so it needs no name to come again.
    ///
    /// Covered are `perform`, `run` and `observe`, those inside merges and appends too; one that has a name keeps it,
    /// and other modifiers do, so the order does not matter. Effects with the same name count as one.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes of UTF-8, the same for the same work in each life of the worker. Of a name that is
    ///     empty or longer, or when 4,096 effects with names run in the feature, the effect does not start: the event
    ///     fails, and what else it runs is cancelled.
    ///   - policy: What follows from an interruption.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
    public func named(_ name: String, whenInterrupted policy: InterruptionPolicy) -> Self {
        let label = EffectLabel(name: name, policy: policy)
        return mapEffects { $0.label == nil ? $0.with(label: label) : nil }
    }
}

/// The name of an effect, and what becomes of it when its worker dies.
final class EffectLabel: Sendable {
    let name: String
    let policy: InterruptionPolicy

    init(name: String, policy: InterruptionPolicy) {
        self.name = name
        self.policy = policy
    }
}
