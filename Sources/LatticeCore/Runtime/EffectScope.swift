/// A part of an event's tree that ends as one: the whole of it, or one step of an append.
///
/// Counts what is still running below it. Belongs to its runtime's isolation.
final class EffectScope<Action: Sendable> {
    let tree: EventTree
    let group: CancelGroup<Action>?
    private(set) var parent: EffectScope?
    /// Effects, scopes below this one, and one for the turn that is filling it.
    var pending = 1
    /// Steps of an append that wait for this scope to be empty.
    var steps: ArraySlice<Emission<Action>>
    /// Something below threw, or was cancelled by its id: the steps are skipped.
    var hasFailed = false
    /// The running effects below, those of actions that were emitted there too; nil where no id covers the scope.
    var effects: [Int: Effect<Action>]?
    /// The nearest scope around this one that keeps its effects.
    private var keeperAbove: EffectScope?

    init(root tree: EventTree) {
        self.tree = tree
        group = nil
        steps = []
    }

    init(steps: [Emission<Action>], in parent: EffectScope, group: CancelGroup<Action>?) {
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

    /// Where ids cover the scope or one around it: lets them find the effect.
    func keep(_ effect: Effect<Action>) {
        forEachKeeper { $0.effects?[effect.id] = effect }
    }

    func drop(_ effect: Effect<Action>) {
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
