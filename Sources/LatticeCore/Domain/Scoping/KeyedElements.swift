/// A collection whose elements are found by what identifies them: a dictionary, a ``StateDictionary``, a ``StateList``.
///
/// Where ``Interactor/forEach(state:action:endsEffects:reportsMissing:element:)`` takes its elements from, besides
/// collections that are looked through.
public protocol KeyedElements {
    associatedtype Key: Hashable
    associatedtype Value

    var count: Int { get }

    /// An element; nil if it is not there.
    func element(under key: Key) -> Value?

    /// Changes an element where it is.
    /// - Returns: Whether it is there.
    mutating func changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool
}

extension Dictionary: KeyedElements {
    /// Nil also for a key that `==` takes for another one: see ``StateKey``.
    @inlinable
    public func element(under key: Key) -> Value? { position(of: key).map { values[$0] } }

    @inlinable
    func position(of key: Key) -> Index? {
        guard let position = index(forKey: key), isSameKey(keys[position], key) else { return nil }
        return position
    }

    @inlinable
    public mutating func changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let position = position(of: key) else { return false }
        change(&values[position])
        return true
    }
}

extension StateDictionary: KeyedElements {
    @inlinable
    public func element(under key: Key) -> Value? { self[key] }

    @inlinable
    public mutating func changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let (leaf, slot) = tree.place(of: key) else { return false }
        source = nil
        change(&leaf.values[slot])
        return true
    }
}

extension StateList: KeyedElements {
    @inlinable
    public func element(under key: Element.ID) -> Element? { self[id: key] }

    @inlinable
    public mutating func changeElement(under key: Element.ID, _ change: (inout Element) -> Void) -> Bool {
        guard let label = labels[key], let (leaf, slot) = elements.place(of: label) else { return false }
        source = nil
        change(&leaf.values[slot])
        precondition(isSameKey(leaf.values[slot].id, key), "An element of a StateList keeps its id.")
        return true
    }
}
