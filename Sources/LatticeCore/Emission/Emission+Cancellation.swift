extension Emission {
    /// Gives the effects of this emission an identity under which ``cancel(id:)`` finds them.
    ///
    /// Covered are the effects named in this emission, and its appends: the steps that have not started, and the step that
    /// runs with its whole tree, since a step is all that it leads to. Not covered are the effects of other actions that
    /// are emitted here. Ids belong to one runtime.
    /// - Parameters:
    ///   - id: any hashable value. Several effects may have the same.
    ///   - cancelInFlight: cancels first what has this id already.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
        Self(kind: .cancellable(self, id: EffectID(id), cancelInFlight: cancelInFlight))
    }

    /// Cancels what is covered by ``cancellable(id:cancelInFlight:)`` with this id; their results are dropped.
    /// The events that had asked for them end ``EventOutcome/cancelled`` once the rest of their tree has ended; an append
    /// around what was cancelled does not go on.
    public static func cancel(id: some Hashable & Sendable) -> Self {
        Self(kind: .cancel(id: EffectID(id)))
    }
}
