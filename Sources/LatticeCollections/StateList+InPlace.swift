// LatticeCore changes the elements of states in place by these methods. Users do not need them.

extension StateList {
    /// Changes the element with an identity in place. The change must keep the element's identity.
    /// - Returns: Whether the element exists.
    @inlinable
    public mutating func _changeElement(under key: Element.ID, _ change: (inout Element) -> Void) -> Bool {
        guard let label = labels[key], let (leaf, slot) = elements.place(of: label) else { return false }
        source = nil
        change(&leaf.values[slot])
        precondition(isSameKey(leaf.values[slot].id, key), "The id of an element must not change.")
        return true
    }

    /// Changes all elements in place, in their order. The next update is not affected. The changes must keep the
    /// identities of the elements.
    /// - Complexity: O(*n*).
    @inlinable
    package mutating func mutateElements(_ change: (inout Element) -> Void) {
        elements.mutateValues(change)
    }

    /// Changes each element in place that another list does not contain with the same bits at the same place. The next
    /// update is not affected. The changes must keep the identities of the elements.
    /// - Parameters:
    ///   - other: The other list.
    ///   - change: Called with each element, its identity, and the element with this identity at the same place of the
    ///     other list, which is nil if the element was inserted or moved.
    /// - Complexity: O(*k* log *n*) if the lists differ in *k* elements and one was made from the other.
    @inlinable
    package mutating func mutateElements(
        differingFrom other: Self,
        _ change: (inout Element, Element.ID, Element?) -> Void
    ) {
        // The differences are collected first. Changing an element during the traversal would copy its nodes.
        var differing: [(ListLabel, id: Element.ID, other: Element?)] = []
        elements.differences(from: other.elements) { difference in
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
        for (label, id, other) in differing {
            guard let (leaf, slot) = elements.place(of: label) else { continue }
            change(&leaf.values[slot], id, other)
        }
    }
}
