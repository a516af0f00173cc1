import LatticeConcurrency

/// One effect of a tree, from its emission to its end.
final class Effect: @unchecked Sendable {
    // Unchecked because `id`, `emission` and `tree` are constant and Sendable, and so are `onWork` and `span` after the
    // effect has started. Everything else is only accessed on the isolation of the runtime. The task of the effect
    // merely carries the reference.
    let id: Int
    let tree: EventTree
    let emission: any EmissionContent
    let scope: EffectScope
    let group: CancelGroup?
    /// The name of the effect and its interruption policy, if it has a name.
    let label: EffectLabel?
    /// The function to call when the effect is at work. See ``FeatureRuntime/onEffectStart``.
    var onWork: (@Sendable () -> Void)?
    /// The trace context of the turn that requested the effect, if it is not that of the event.
    var trace: [String] = []
    /// The span of the running effect, if the effect is traced.
    var span: (any OpenSpan)?
    /// Whether the effect has ended. Its result was then delivered or is dropped, and its scope does not wait for it.
    private(set) var hasEnded = false
    /// Whether the effect was cancelled by its id.
    var wasCancelled = false

    init(id: Int, emission: any EmissionContent, scope: EffectScope, group: CancelGroup?) {
        self.id = id
        self.tree = scope.tree
        self.emission = emission
        self.scope = scope
        self.group = group
        label = emission.label
        scope.pending += 1
        group?.insert(self)
        scope.track(self)
    }

    /// Whether results of the effect are still accepted.
    var isLive: Bool { !hasEnded && !tree.isOver }

    /// Ends the effect.
    /// - Returns: False if the effect had ended before.
    func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        group?.remove(self)
        scope.untrack(self)
        return true
    }
}

/// A part of an event's tree that ends as a unit: the whole tree, or one step of an append.
///
/// A scope counts what is running in it. It belongs to its runtime's isolation.
final class EffectScope {
    let tree: EventTree
    let group: CancelGroup?
    private(set) var parent: EffectScope?
    /// The number of effects, of scopes below this one, and of turns that are filling it (at most one).
    var pending = 1
    /// The steps of an append that start when this scope is empty.
    var steps: ArraySlice<any EmissionContent>
    /// Whether something in the scope threw or was cancelled by its id. The remaining steps are then skipped.
    var hasFailed = false
    /// The running effects in the scope, including those of actions that were emitted in it. It is nil if no id covers
    /// the scope.
    var effects: [Int: Effect]?
    /// The nearest enclosing scope that has a list of effects.
    private var trackingAncestor: EffectScope?

    init(root tree: EventTree) {
        self.tree = tree
        group = nil
        steps = []
    }

    init(steps: [any EmissionContent], in parent: EffectScope, group: CancelGroup?) {
        self.tree = parent.tree
        self.parent = parent
        self.group = group
        self.steps = steps[...]
        trackingAncestor = parent.effects == nil ? parent.trackingAncestor : parent
        effects = group == nil ? nil : [:]
        parent.pending += 1
        group?.insert(self)
    }

    deinit {
        // Releasing a long chain of scopes recursively would overflow the stack.
        trackingAncestor = nil
        var next = parent.take()
        while next != nil, isKnownUniquelyReferenced(&next) {
            next?.trackingAncestor = nil
            next = next?.parent.take()
        }
    }

    /// Whether there is another step that may start.
    var canStartNextStep: Bool {
        !steps.isEmpty && !hasFailed && !tree.isOver && group?.isCancelled != true
    }

    /// Adds an effect to this scope and the enclosing scopes that are covered by ids, so that the ids find it.
    fileprivate func track(_ effect: Effect) {
        forEachTrackingScope { $0.effects?[effect.id] = effect }
    }

    fileprivate func untrack(_ effect: Effect) {
        forEachTrackingScope { $0.effects?[effect.id] = nil }
    }

    private func forEachTrackingScope(_ body: (EffectScope) -> Void) {
        var trackingScope = effects == nil ? trackingAncestor : self
        while let current = trackingScope {
            body(current)
            trackingScope = current.trackingAncestor
        }
    }
}
