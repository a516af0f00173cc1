extension Emission {
    /// Returns an emission that combines several emissions. Actions are handled in order, and effects run concurrently.
    public static func merge(_ emissions: [Emission<Action>]) -> Self {
        // Stored unchanged, including empty children, so that the structure stays visible. The runtime flattens it.
        Self(kind: .merge(emissions))
    }

    /// Returns an emission that combines several emissions. Actions are handled in order, and effects run concurrently.
    public static func merge(_ emissions: Emission<Action>...) -> Self {
        merge(emissions)
    }

    /// Returns an emission that runs this emission and `other` concurrently.
    public func merging(with other: Emission<Action>) -> Self {
        .merge([self, other])
    }

    /// Returns an emission that runs several emissions one after another.
    ///
    /// A step starts when the whole tree of the previous step has ended. The tree consists of the step's effects, the
    /// effects of the actions that these emit, and so on. Actions at the beginning are handled in the same turn. If a
    /// step throws, the steps after it are skipped.
    /// - Complexity: O(*n*), where *n* is the number of steps, including the steps of nested appends.
    public static func append(_ emissions: Emission<Action>...) -> Self {
        append(emissions)
    }

    /// Returns an emission that runs several emissions one after another, as ``append(_:)-(Emission<Action>...)`` does.
    /// Nested appends are flattened, and `none` is removed.
    /// - Complexity: O(*n*), where *n* is the number of steps, including the steps of nested appends.
    public static func append(_ emissions: some Collection<Emission<Action>>) -> Self {
        var steps: [Emission<Action>] = []
        steps.reserveCapacity(emissions.count)
        for emission in emissions {
            switch emission.kind {
            case .none: continue
            case .append(let nested): steps.append(contentsOf: nested)
            default: steps.append(emission)
            }
        }
        if steps.isEmpty { return .none }
        return steps.count == 1 ? steps[0] : Self(kind: .append(steps))
    }

    /// Returns an emission that starts `other` when the whole tree of this emission has ended.
    /// - Complexity: O(*n*), where *n* is the number of steps of both emissions.
    public func appending(with other: Emission<Action>) -> Self {
        .append([self, other])
    }

    /// Returns an emission that starts `next` when the whole tree of this emission has ended.
    /// - Complexity: O(*n*), where *n* is the number of steps of both emissions.
    public func then(_ next: Emission<Action>) -> Self {
        appending(with: next)
    }

    /// Combines the emissions of two interactors for the same action, without building an array around `none`.
    static func joining(_ first: Emission<Action>, _ second: Emission<Action>) -> Self {
        if first.isNone { return second }
        if second.isNone { return first }
        return .merge([first, second])
    }
}

extension Emission {
    /// Gives the effects of this emission an identity that ``cancel(id:)`` refers to.
    ///
    /// The identity covers the effects that this emission contains directly, and its appends. For an append it covers
    /// the steps that have not started, and the running step with its whole tree of effects. It does not cover the
    /// effects of other actions that are emitted here. Ids belong to one runtime.
    /// - Parameters:
    ///   - id: Any hashable value. Its type is part of the identity, so `1` and `UInt8(1)` are two ids. Several effects
    ///     can have the same id.
    ///   - cancelInFlight: Whether running effects with this id are cancelled first.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
        Self(kind: .cancellable(self, id: EffectID(id), cancelInFlight: cancelInFlight))
    }

    /// Returns an emission that cancels the effects with an id that was given by ``cancellable(id:cancelInFlight:)``.
    ///
    /// The results of the cancelled effects are dropped. The events that started them end as ``EventOutcome/cancelled``
    /// when the rest of their tree has ended. An append that contains a cancelled effect does not continue.
    /// - Complexity: When the emission is handled, O(*n* log *n*), where *n* is the number of running effects and
    ///   waiting appends with this id.
    public static func cancel(id: some Hashable & Sendable) -> Self {
        Self(kind: .cancel(id: EffectID(id)))
    }
}
