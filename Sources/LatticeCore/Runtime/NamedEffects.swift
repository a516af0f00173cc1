/// The named effects of one runtime, and the changes that have not been reported to its host.
///
/// It belongs to its runtime's isolation.
struct NamedEffects {
    private var running: [Int: Effect] = [:]
    /// The effects whose start was reported to the host.
    private var reported: Set<Int> = []
    /// The effects that have started since the last report, and the reported effects that have ended since.
    private var changed: Set<Int> = []

    /// Whether there are changes to report to the host.
    var hasChanges: Bool { !changed.isEmpty }

    /// Returns the reason why an effect cannot be added, or nil if it can.
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
        if reported.contains(effect.id) { changed.insert(effect.id) } else { changed.remove(effect.id) }
    }

    /// Returns the changes to report to the host now, or nil if there are none.
    mutating func takeChanges() -> NamedEffectChanges? {
        guard !changed.isEmpty else { return nil }
        var changes = NamedEffectChanges()
        for id in changed.sorted() {
            if let effect = running[id] {
                // An effect whose event is over never starts, or is about to end.
                guard !effect.tree.isOver, let label = effect.label, reported.insert(id).inserted else { continue }
                changes.begun.append(NamedEffectChanges.Begun(id: id, event: effect.tree.event, label: label))
            } else if reported.remove(id) != nil {
                changes.ended.append(id)
            }
        }
        changed = []
        return changes.isEmpty ? nil : changes
    }

    /// Returns changes that could not be reported, so that they are reported later.
    mutating func putBack(_ changes: NamedEffectChanges) {
        for begun in changes.begun {
            reported.remove(begun.id)
            if running[begun.id] != nil { changed.insert(begun.id) } else { changed.remove(begun.id) }
        }
        reported.formUnion(changes.ended)
        changed.formUnion(changes.ended)
    }
}

/// The named effects that have started, and those that have ended.
package struct NamedEffectChanges: Sendable {
    /// A named effect that has started.
    package struct Begun: Sendable {
        /// The number of the effect in its runtime.
        package let id: Int
        /// The number of the effect's event at the host, or 0 for an event that the host did not send.
        package let event: UInt64
        /// The name of the effect.
        package let name: String
        /// The number of times that the effect may be recovered. If it is 0, an interruption makes its event fail.
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

    /// The effects that have started.
    package fileprivate(set) var begun: [Begun] = []
    /// The numbers of the effects that have ended.
    package fileprivate(set) var ended: [Int] = []

    var isEmpty: Bool { begun.isEmpty && ended.isEmpty }
}
