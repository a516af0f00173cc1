// LatticeCore changes the elements of states in place by these methods. Users do not need them.

extension StateDictionary {
    /// Changes the value of a key in place.
    /// - Returns: Whether the key exists.
    @inlinable
    public mutating func _changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let (leaf, slot) = tree.place(of: key) else { return false }
        source = nil
        change(&leaf.values[slot])
        return true
    }

    /// Changes all values in place, in the order of their keys. The next update is not affected.
    /// - Complexity: O(*n*).
    @inlinable
    package mutating func mutateValues(_ change: (inout Value) -> Void) {
        tree.mutateValues(change)
    }

    /// Changes each value in place whose bits differ from the value of the same key in another dictionary. The next
    /// update is not affected.
    /// - Parameters:
    ///   - other: The other dictionary.
    ///   - change: Called with each value, and with the value of the other dictionary, which is nil if the key does not
    ///     exist there.
    /// - Complexity: O(*k* log *n*) if the dictionaries differ in *k* elements and one was made from the other.
    @inlinable
    package mutating func mutateValues(differingFrom other: Self, _ change: (inout Value, Value?) -> Void) {
        // The differences are collected first. Changing a value during the traversal would copy its nodes.
        var differing: [(Key, other: Value?)] = []
        tree.differences(from: other.tree) { difference in
            switch difference {
            case .shared, .removed: break
            case .both(let key, let old, let new): if !_$hasSameBits(old, new) { differing.append((key, old)) }
            case .inserted(let key, _): differing.append((key, nil))
            }
        }
        for (key, other) in differing {
            guard let (leaf, slot) = tree.place(of: key) else { continue }
            change(&leaf.values[slot], other)
        }
    }
}
