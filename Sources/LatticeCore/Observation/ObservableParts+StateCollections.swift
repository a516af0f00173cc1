// These collections share their common parts with the shown collection, so only the differences are visited.

extension StateDictionary: _ObservableParts where Value: _ObservableParts {
    /// Settles each changed value over the shown value of its key.
    @inlinable
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        guard !changes.isPlacing else {
            tree.mutateValues { _ObservationChanges.place(&$0) }
            return true
        }
        var isSame = count == shown.count
        // The differences are collected first. Changing a value during the traversal would copy its nodes.
        var differing: [(Key, shown: Value?)] = []
        tree.differences(from: shown.tree) { difference in
            switch difference {
            case .shared, .removed: break
            case .both(let key, let old, let new): if !_$hasSameBits(old, new) { differing.append((key, old)) }
            case .inserted(let key, _): differing.append((key, nil))
            }
        }
        for (key, shown) in differing {
            guard let (leaf, slot) = tree.place(of: key) else { continue }
            if let shown {
                isSame = changes.settle(&leaf.values[slot], over: shown) && isSame
            } else {
                _ObservationChanges.place(&leaf.values[slot])
                isSame = false
            }
        }
        return isSame
    }
}

extension StateList: _ObservableParts where Element: _ObservableParts {
    /// Settles each changed element over the shown element with its `id`.
    @inlinable
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        guard !changes.isPlacing else {
            elements.mutateValues { _ObservationChanges.place(&$0) }
            return true
        }
        var isSame = count == shown.count
        var differing: [(ListLabel, id: Element.ID, shown: Element?)] = []
        elements.differences(from: shown.elements) { difference in
            switch difference {
            case .shared, .removed: break
            case .both(let label, let old, let new):
                if !isSameKey(old.id, new.id) {
                    differing.append((label, new.id, nil))
                } else if !_$hasSameBits(old, new) {
                    differing.append((label, new.id, old))
                }
            case .inserted(let label, let new):
                differing.append((label, new.id, nil))
            }
        }
        for (label, id, present) in differing {
            guard let (leaf, slot) = elements.place(of: label) else { continue }
            if let shown = present ?? shown[id: id] {
                isSame = changes.settle(&leaf.values[slot], over: shown) && isSame
            } else {
                _ObservationChanges.place(&leaf.values[slot])
            }
            if isSame, present == nil { isSame = index(id: id) == shown.index(id: id) }
        }
        return isSame
    }
}
