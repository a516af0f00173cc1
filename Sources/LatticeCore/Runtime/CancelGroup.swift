/// The cancel groups of one runtime that are in use.
struct CancelGroups {
    private var groups: [EffectID: [CancelGroup]] = [:]
    /// The number of groups that belong to children with their own part of the state.
    private(set) var scopeCount = 0
    private var nextNumber = 0

    var isEmpty: Bool { groups.isEmpty }

    func contains(_ id: EffectID) -> Bool {
        groups[id] != nil
    }

    /// Creates a group. The caller uses it until it calls ``leave(_:)``.
    mutating func enter(_ id: EffectID, in outer: CancelGroup?) -> CancelGroup {
        let group = CancelGroup(id: id, number: nextNumber, outer: outer)
        nextNumber += 1
        Self.append(group, to: &groups[id, default: []])
        if id.isScope { scopeCount += 1 }
        return group
    }

    private static func append(_ group: CancelGroup, to groups: inout [CancelGroup]) {
        group.index = groups.count
        groups.append(group)
    }

    /// Ends one use of a group.
    mutating func leave(_ group: CancelGroup) {
        for unused in group.release() {
            if unused.id.isScope { scopeCount -= 1 }
            remove(unused)
        }
    }

    /// Removes a group. The last group of its id takes its index, so the cost does not depend on the number of groups.
    private mutating func remove(_ group: CancelGroup) {
        guard let last = groups[group.id]?.popLast() else { return }
        if last !== group {
            groups[group.id]?[group.index] = last
            last.index = group.index
        } else if group.index == 0 {
            groups[group.id] = nil
        }
    }

    /// Marks the groups with an id as cancelled.
    /// - Returns: The effects to cancel, group by group, oldest first.
    func cancel(_ id: EffectID) -> [Effect] {
        (groups[id] ?? []).sorted { $0.number < $1.number }.flatMap { $0.cancel() }
    }

    /// Releases everything that refers to the groups, because the effects of a deallocated runtime never end in it.
    func abandon() {
        for group in groups.values.joined() { group.abandon() }
    }
}

/// The effects that one `cancellable(id:)` covers: its running effects, and its appends with the whole tree of the
/// running step.
///
/// Belongs to its runtime's isolation.
final class CancelGroup {
    let id: EffectID
    /// The number of the group, in the order of creation.
    fileprivate let number: Int
    /// The index of the group among the groups with its id.
    fileprivate var index = 0
    /// The group that contains this one. Cancelling it also cancels this group.
    private var outer: CancelGroup?
    private var effects: [Int: Effect] = [:]
    /// The appends that have not ended.
    private var appends: [ObjectIdentifier: EffectScope] = [:]
    private var uses = 1
    private var isMarked = false

    init(id: EffectID, number: Int, outer: CancelGroup?) {
        self.id = id
        self.number = number
        self.outer = outer
        outer?.uses += 1
    }

    deinit {
        // Releasing a long chain of groups recursively would overflow the stack.
        var next = outer.take()
        while next != nil, isKnownUniquelyReferenced(&next) { next = next?.outer.take() }
    }

    /// This group and the groups that contain it, from the inside out.
    private var chain: some Sequence<CancelGroup> { sequence(first: self) { $0.outer } }

    var isCancelled: Bool { chain.contains(where: \.isMarked) }

    /// - Returns: The groups that are no longer in use. None of their effects runs, and no new ones can join them.
    fileprivate func release() -> [CancelGroup] {
        var unused: [CancelGroup] = []
        for group in chain {
            group.uses -= 1
            guard group.uses == 0 else { break }
            unused.append(group)
        }
        return unused
    }

    func insert(_ effect: Effect) {
        uses += 1
        for group in chain { group.effects[effect.id] = effect }
    }

    func remove(_ effect: Effect) {
        for group in chain { group.effects[effect.id] = nil }
    }

    func insert(_ append: EffectScope) {
        uses += 1
        for group in chain { group.appends[ObjectIdentifier(append)] = append }
    }

    func remove(_ append: EffectScope) {
        for group in chain { group.appends[ObjectIdentifier(append)] = nil }
    }

    fileprivate func abandon() {
        effects = [:]
        for append in appends.values { append.effects = nil }
        appends = [:]
    }

    /// Marks the group as cancelled, and its appends as failed.
    /// - Returns: The effects to cancel, oldest first.
    fileprivate func cancel() -> [Effect] {
        isMarked = true
        // The effects that a child's append started through an action of its parent do not belong to the child alone,
        // so they continue.
        let appends = id.isScope ? [] : Array(self.appends.values)
        let covered = appends.reduce(into: effects) { $0.merge($1.effects ?? [:]) { first, _ in first } }
        // An append in its last step loses only the effects of that step, so a step can start the same append again.
        for append in appends where !append.steps.isEmpty {
            append.hasFailed = true
            append.tree.noteCancellation()
        }
        let effects = covered.values.sorted { $0.id < $1.id }
        for effect in effects {
            effect.wasCancelled = true
            // As after an error, the following steps are skipped. The steps after a child that has left its part of the
            // state are decided by its parent.
            if !id.isScope { effect.scope.hasFailed = true }
        }
        return effects
    }
}
