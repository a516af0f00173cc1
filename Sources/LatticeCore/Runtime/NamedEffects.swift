/// The effects of one runtime that have a name, and which of them its host does not know yet, or knows in vain.
///
/// Belongs to its runtime's isolation.
struct NamedEffects {
    private var running: [Int: Effect] = [:]
    private var told: Set<Int> = []
    /// Those that began since the host was told, and those of which it was told that have ended since.
    private var changed: Set<Int> = []

    /// Whether there is something to tell the host.
    var hasChanges: Bool { !changed.isEmpty }

    /// Why an effect cannot be one of them; nil: it can.
    func refusal(of label: EffectLabel) -> EffectFailure? {
        let bytes = label.name.utf8.count
        guard 1...RuntimeLimits.effectNameBytes ~= bytes else { return .effectName(bytes: bytes) }
        return running.count < RuntimeLimits.namedEffects ? nil : .tooManyNamedEffects
    }

    mutating func insert(_ effect: Effect) {
        running[effect.id] = effect
        changed.insert(effect.id)
    }

    mutating func remove(_ effect: Effect) {
        guard running.removeValue(forKey: effect.id) != nil else { return }
        if told.contains(effect.id) { changed.insert(effect.id) } else { changed.remove(effect.id) }
    }

    /// What the host is to be told now; nil: nothing.
    mutating func takeChanges() -> NamedEffectChanges? {
        guard !changed.isEmpty else { return nil }
        var changes = NamedEffectChanges()
        for id in changed.sorted() {
            if let effect = running[id] {
                // One whose event is over never starts, or is about to end.
                guard !effect.tree.isOver, let label = effect.label, told.insert(id).inserted else { continue }
                changes.begun.append(NamedEffectChanges.Begun(id: id, event: effect.tree.event, label: label))
            } else if told.remove(id) != nil {
                changes.ended.append(id)
            }
        }
        changed = []
        return changes.isEmpty ? nil : changes
    }

    /// The host could not be told.
    mutating func putBack(_ changes: NamedEffectChanges) {
        for begun in changes.begun {
            told.remove(begun.id)
            if running[begun.id] != nil { changed.insert(begun.id) } else { changed.remove(begun.id) }
        }
        told.formUnion(changes.ended)
        changed.formUnion(changes.ended)
    }
}

/// Which effects with names have begun, and which have ended.
package struct NamedEffectChanges: Sendable {
    package struct Begun: Sendable {
        package let id: Int
        /// The number of its event at the host; 0 for none of the host's.
        package let event: UInt64
        package let name: String
        /// How often it may be handed over to be started again; 0: its event fails.
        package let recoveries: Int

        init(id: Int, event: UInt64, label: EffectLabel) {
            self.id = id
            self.event = event
            name = label.name
            recoveries =
                switch label.policy {
                case .fail: 0
                case .recover(let atMost): max(0, min(atMost, RuntimeLimits.recoveries))
                }
        }
    }

    package fileprivate(set) var begun: [Begun] = []
    package fileprivate(set) var ended: [Int] = []

    var isEmpty: Bool { begun.isEmpty && ended.isEmpty }
}
