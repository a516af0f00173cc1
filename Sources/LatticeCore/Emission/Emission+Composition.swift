extension Emission {
    /// All of them: actions in order, effects at the same time.
    public static func merge(_ emissions: [Emission<Action>]) -> Self {
        // Kept as it is, empty children included: what was emitted stays visible. The runtime flattens it.
        Self(kind: .merge(emissions))
    }

    /// All of them: actions in order, effects at the same time.
    public static func merge(_ emissions: Emission<Action>...) -> Self {
        merge(emissions)
    }

    /// This one and `other`, at the same time.
    public func merging(with other: Emission<Action>) -> Self {
        .merge([self, other])
    }

    /// One after the other: a step starts when the whole tree of the step before it has ended, that is its effects,
    /// the effects of the actions those emit, and so on. Leading actions are handled in the same turn.
    ///
    /// When a step throws, the steps behind it are skipped.
    /// - Complexity: O(*n*), where *n* is the number of steps, those of nested appends included.
    public static func append(_ emissions: Emission<Action>...) -> Self {
        append(emissions)
    }

    /// One after the other, see ``append(_:)-(Emission<Action>...)``. Nested appends become one; `none` vanishes.
    /// - Complexity: O(*n*), where *n* is the number of steps, those of nested appends included.
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

    /// This one, and `other` when this one's whole tree has ended.
    /// - Complexity: O(*n*), where *n* is the number of steps of both.
    public func appending(with other: Emission<Action>) -> Self {
        .append([self, other])
    }

    /// This one, and `next` when this one's whole tree has ended.
    /// - Complexity: O(*n*), where *n* is the number of steps of both.
    public func then(_ next: Emission<Action>) -> Self {
        appending(with: next)
    }

    /// Joins what two interactors emitted on the same action, without building an array around `none`.
    static func joining(_ first: Emission<Action>, _ second: Emission<Action>) -> Self {
        if first.isNone { return second }
        if second.isNone { return first }
        return .merge([first, second])
    }
}

extension Emission {
    /// Gives the effects of this emission an identity under which ``cancel(id:)`` finds them.
    ///
    /// Covered are the effects named in this emission, and its appends: the steps that have not started, and the step
    /// that runs with its whole tree, since a step is all that it leads to. Not covered are the effects of other
    /// actions that are emitted here. Ids belong to one runtime.
    /// - Parameters:
    ///   - id: any hashable value. Its type counts: `1` and `UInt8(1)` are two ids. Several effects may have the same.
    ///   - cancelInFlight: cancels first what has this id already.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
        Self(kind: .cancellable(self, id: EffectID(id), cancelInFlight: cancelInFlight))
    }

    /// Cancels what is covered by ``cancellable(id:cancelInFlight:)`` with this id; their results are dropped.
    /// The events that had asked for them end ``EventOutcome/cancelled`` once the rest of their tree has ended; an
    /// append around what was cancelled does not go on.
    /// - Complexity: When it is handled O(*n* log *n*), where *n* is the number of running effects and waiting appends
    ///   with this id.
    public static func cancel(id: some Hashable & Sendable) -> Self {
        Self(kind: .cancel(id: EffectID(id)))
    }
}
