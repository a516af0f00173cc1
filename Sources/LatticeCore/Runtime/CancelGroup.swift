/// What one `cancellable(id:)` covers: its running effects, and its appends with the whole tree of the step that runs.
///
/// Belongs to its runtime's isolation.
final class CancelGroup<Action: Sendable> {
    let id: EffectID
    /// The group around this one: cancelling it cancels this one too.
    let outer: CancelGroup?
    private(set) var effects: [Int: Effect<Action>] = [:]
    /// Appends that have not ended.
    private var appends: [ObjectIdentifier: EffectScope<Action>] = [:]
    private var uses = 1
    private var isMarked = false

    init(id: EffectID, outer: CancelGroup?) {
        self.id = id
        self.outer = outer
        outer?.retain()
    }

    var isCancelled: Bool {
        var group: CancelGroup? = self
        while let current = group {
            if current.isMarked { return true }
            group = current.outer
        }
        return false
    }

    /// Nothing can come under this group any more, and nothing of it runs.
    var isUnused: Bool { uses == 0 }

    func retain() { uses += 1 }

    /// - Returns: the groups that nothing uses any more.
    func release() -> [CancelGroup] {
        var unused: [CancelGroup] = []
        var group: CancelGroup? = self
        while let current = group {
            current.uses -= 1
            guard current.isUnused else { break }
            unused.append(current)
            group = current.outer
        }
        return unused
    }

    func insert(_ effect: Effect<Action>) {
        retain()
        var group: CancelGroup? = self
        while let current = group {
            current.effects[effect.id] = effect
            group = current.outer
        }
    }

    func remove(_ effect: Effect<Action>) {
        var group: CancelGroup? = self
        while let current = group {
            current.effects[effect.id] = nil
            group = current.outer
        }
    }

    func insert(_ append: EffectScope<Action>) {
        retain()
        var group: CancelGroup? = self
        while let current = group {
            current.appends[ObjectIdentifier(append)] = append
            group = current.outer
        }
    }

    func remove(_ append: EffectScope<Action>) {
        var group: CancelGroup? = self
        while let current = group {
            current.appends[ObjectIdentifier(append)] = nil
            group = current.outer
        }
    }

    /// Lets go of what refers to the group: the effects of a runtime that goes never end in it.
    func abandon() {
        effects = [:]
        for append in appends.values { append.effects = nil }
        appends = [:]
    }

    /// Marks the group and hands out the effects to cancel, oldest first, and the appends not to go on with.
    func cancel() -> (effects: [Effect<Action>], appends: [EffectScope<Action>]) {
        isMarked = true
        // What a child's append has started through an action of its parent is not the child's alone: it outlives it.
        let appends = id.isScope ? [] : Array(self.appends.values)
        let covered = appends.reduce(into: effects) { $0.merge($1.effects ?? [:]) { first, _ in first } }
        return (covered.values.sorted { $0.id < $1.id }, appends)
    }
}
