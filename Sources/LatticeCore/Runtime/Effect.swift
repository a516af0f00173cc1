/// One effect of a tree, from the emission that asked for it to its end.
final class Effect<Action: Sendable>: @unchecked Sendable {
    // Unchecked: `id`, `work` and `tree` are constant and Sendable, and so is `onWork` once the effect has started;
    // everything else is only touched on the isolation of the runtime. The task of the effect merely carries the
    // reference there and back.
    enum Work: Sendable {
        case perform(@Sendable () async throws -> Action?)
        case run(@Sendable (Send<Action>) async throws -> Void)
        case observe(@Sendable () async -> AsyncStream<Action>)
        /// Begins on the isolation, in the order in which effects start.
        case starting(Emission<Action>.Starter)
    }

    let id: Int
    let tree: EventTree
    let work: Work
    let scope: EffectScope<Action>
    let group: CancelGroup<Action>?
    /// See ``FeatureRuntime/onEffectStart``.
    var onWork: (@Sendable () -> Void)?
    /// Ended: its result was delivered or is dropped, and its scope no longer waits for it.
    var hasEnded = false
    /// Ended because somebody cancelled its id.
    var wasCancelled = false

    init(id: Int, work: Work, scope: EffectScope<Action>, group: CancelGroup<Action>?) {
        self.id = id
        self.tree = scope.tree
        self.work = work
        self.scope = scope
        self.group = group
    }

    /// Whether what it delivers still counts.
    var isLive: Bool { !hasEnded && !tree.isOver }
}
