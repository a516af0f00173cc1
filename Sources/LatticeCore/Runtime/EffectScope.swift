/// One effect of a tree, from the emission that asked for it to its end.
final class Effect: @unchecked Sendable {
    // Unchecked: `id`, `emission` and `tree` are constant and Sendable, and so is `onWork` once the effect has started;
    // everything else is only touched on the isolation of the runtime. The task of the effect merely carries the
    // reference there and back.
    let id: Int
    let tree: EventTree
    let emission: any EmissionContent
    let scope: EffectScope
    let group: CancelGroup?
    /// Its name; nil for those without one.
    let label: EffectLabel?
    /// See ``FeatureRuntime/onEffectStart``.
    var onWork: (@Sendable () -> Void)?
    /// Ended: its result was delivered or is dropped, and its scope no longer waits for it.
    private(set) var hasEnded = false
    /// Ended because somebody cancelled its id.
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
        scope.keep(self)
    }

    /// Whether what it delivers still counts.
    var isLive: Bool { !hasEnded && !tree.isOver }

    /// - Returns: false if it had ended before.
    func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        group?.remove(self)
        scope.drop(self)
        return true
    }
}

/// A part of an event's tree that ends as one: the whole of it, or one step of an append.
///
/// Counts what is still running below it. Belongs to its runtime's isolation.
final class EffectScope {
    let tree: EventTree
    let group: CancelGroup?
    private(set) var parent: EffectScope?
    /// Effects, scopes below this one, and one for the turn that is filling it.
    var pending = 1
    /// Steps of an append that wait for this scope to be empty.
    var steps: ArraySlice<any EmissionContent>
    /// Something below threw, or was cancelled by its id: the steps are skipped.
    var hasFailed = false
    /// The running effects below, those of actions that were emitted there too; nil where no id covers the scope.
    var effects: [Int: Effect]?
    /// The nearest scope around this one that keeps its effects.
    private var keeperAbove: EffectScope?

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
        keeperAbove = parent.effects == nil ? parent.keeperAbove : parent
        effects = group == nil ? nil : [:]
        parent.pending += 1
        group?.insert(self)
    }

    deinit {
        // A long chain of scopes would otherwise be released recursively.
        keeperAbove = nil
        var next = parent.take()
        while next != nil, isKnownUniquelyReferenced(&next) {
            next?.keeperAbove = nil
            next = next?.parent.take()
        }
    }

    /// Whether a step waits that may still start.
    var canStartNextStep: Bool {
        !steps.isEmpty && !hasFailed && !tree.isOver && group?.isCancelled != true
    }

    /// Where ids cover the scope or one around it: lets them find the effect.
    fileprivate func keep(_ effect: Effect) {
        forEachKeeper { $0.effects?[effect.id] = effect }
    }

    fileprivate func drop(_ effect: Effect) {
        forEachKeeper { $0.effects?[effect.id] = nil }
    }

    private func forEachKeeper(_ body: (EffectScope) -> Void) {
        var keeper = effects == nil ? keeperAbove : self
        while let current = keeper {
            body(current)
            keeper = current.keeperAbove
        }
    }
}
