extension Optional: _ObservableParts where Wrapped: _ObservableParts {
    /// Settles the wrapped value over the one that is shown.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        guard var new = self else { return shown == nil }
        defer { self = new }
        guard let shown else {
            _ObservationChanges.place(&new)
            return false
        }
        return changes.settle(&new, over: shown)
    }

    /// Gives the wrapped value a new identity.
    public mutating func _$willModify() {
        self?._$willModify()
    }

    /// Returns whether the wrapped values represent the same element of a collection.
    public func _$isSameElement(as other: Self) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self._$isSameElement(as: other)
    }

    /// The key of the wrapped value.
    public var _$elementKey: _ObservableElementKey {
        self?._$elementKey ?? .position
    }
}

extension Array: _ObservableParts where Element: _ObservableParts {
    /// Settles each element over the shown element that it corresponds to.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        changes.settleElements(of: &self, over: shown)
    }
}

extension ContiguousArray: _ObservableParts where Element: _ObservableParts {
    /// Settles each element over the shown element that it corresponds to.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        changes.settleElements(of: &self, over: shown)
    }
}

extension ArraySlice: _ObservableParts where Element: _ObservableParts {
    /// Settles each element over the shown element that it corresponds to.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        changes.settleElements(of: &self, over: shown)
    }
}

extension Dictionary: _ObservableParts where Value: _ObservableParts {
    /// Settles each value over the shown value of its key.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        var isSame = count == shown.count
        for index in indices {
            if let shownValue = shown[self[index].key] {
                isSame = changes.settle(&values[index], over: shownValue) && isSame
            } else {
                _ObservationChanges.place(&values[index])
                isSame = false
            }
        }
        return isSame
    }
}
