public import LatticeCollections

// These collections share their common parts with the shown collection, so only the differences are visited.

extension StateDictionary: _ObservableParts where Value: _ObservableParts {
    /// Settles each changed value over the shown value of its key.
    @inlinable
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        guard !changes.isPlacing else {
            mutateValues { _ObservationChanges.place(&$0) }
            return true
        }
        var isSame = count == shown.count
        mutateValues(differingFrom: shown) { value, shown in
            if let shown {
                isSame = changes.settle(&value, over: shown) && isSame
            } else {
                _ObservationChanges.place(&value)
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
            mutateElements { _ObservationChanges.place(&$0) }
            return true
        }
        var isSame = count == shown.count
        var movedIDs: [Element.ID] = []
        mutateElements(differingFrom: shown) { element, id, present in
            if let shown = present ?? shown[id: id] {
                isSame = changes.settle(&element, over: shown) && isSame
            } else {
                _ObservationChanges.place(&element)
            }
            if isSame, present == nil { movedIDs.append(id) }
        }
        return isSame && movedIDs.allSatisfy { index(id: $0) == shown.index(id: $0) }
    }
}
