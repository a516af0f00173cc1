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
        parent.pending += 1
        group?.retain()
    }

    deinit {
        // A long chain of scopes would otherwise be released recursively.
        var next = parent.take()
        while next != nil, isKnownUniquelyReferenced(&next) {
            next = next?.parent.take()
        }
    }
}
