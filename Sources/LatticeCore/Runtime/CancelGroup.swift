/// The groups of one runtime that something uses.
struct CancelGroups {
    private var groups: [EffectID: [CancelGroup]] = [:]
    /// How many of the groups belong to children that have a part of the state to themselves.
    private(set) var scopeCount = 0
    private var nextNumber = 0

    var isEmpty: Bool { groups.isEmpty }

    func contains(_ id: EffectID) -> Bool {
        groups[id] != nil
    }

    /// A new group, used by who asked for it until it leaves.
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

    /// Gives up one use of a group.
    mutating func leave(_ group: CancelGroup) {
        for unused in group.release() {
            if unused.id.isScope { scopeCount -= 1 }
            remove(unused)
        }
    }

    /// The last one of its id takes its place, so that it costs the same however many there are.
    private mutating func remove(_ group: CancelGroup) {
        guard let last = groups[group.id]?.popLast() else { return }
        if last !== group {
            groups[group.id]?[group.index] = last
            last.index = group.index
        } else if group.index == 0 {
            groups[group.id] = nil
        }
    }

    /// Marks what has the id as cancelled.
    /// - Returns: the effects to cancel, those of one group after the other, oldest first.
    func cancel(_ id: EffectID) -> [Effect] {
        (groups[id] ?? []).sorted { $0.number < $1.number }.flatMap { $0.cancel() }
    }

    /// Lets go of what refers to the groups: the effects of a runtime that goes never end in it.
    func abandon() {
        for group in groups.values.joined() { group.abandon() }
    }
}

/// What one `cancellable(id:)` covers: its running effects, and its appends with the whole tree of the step that runs.
///
/// Belongs to its runtime's isolation.
final class CancelGroup {
    let id: EffectID
    /// In the order in which they were made.
    fileprivate let number: Int
    /// Where it is among those of its id.
    fileprivate var index = 0
    /// The group around this one: cancelling it cancels this one too.
    private var outer: CancelGroup?
    private var effects: [Int: Effect] = [:]
    /// Appends that have not ended.
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
        // A long chain of groups would otherwise be released recursively.
        var next = outer.take()
        while next != nil, isKnownUniquelyReferenced(&next) { next = next?.outer.take() }
    }

    /// This group and those around it, the outermost last.
    private var chain: some Sequence<CancelGroup> { sequence(first: self) { $0.outer } }

    var isCancelled: Bool { chain.contains(where: \.isMarked) }

    /// - Returns: the groups that nothing uses any more: nothing can come under them, and nothing of them runs.
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

    /// Marks the group, and the appends not to go on with.
    /// - Returns: the effects to cancel, oldest first.
    fileprivate func cancel() -> [Effect] {
        isMarked = true
        // What a child's append has started through an action of its parent is not the child's alone: it outlives it.
        let appends = id.isScope ? [] : Array(self.appends.values)
        let covered = appends.reduce(into: effects) { $0.merge($1.effects ?? [:]) { first, _ in first } }
        // One that is in its last step loses nothing but that step's effects: so a step may begin the append anew.
        for append in appends where !append.steps.isEmpty {
            append.hasFailed = true
            append.tree.noteCancellation()
        }
        let effects = covered.values.sorted { $0.id < $1.id }
        for effect in effects {
            effect.wasCancelled = true
            // As after an error: what was to follow it does not. What follows a child that has left its part of the
            // state is its parent's business.
            if !id.isScope { effect.scope.hasFailed = true }
        }
        return effects
    }
}
