/// A collection whose elements are found by what identifies them: a dictionary, a ``StateDictionary``, a ``StateList``.
///
/// Where ``Interactor/forEach(state:action:endsEffects:reportsMissing:element:)`` takes its elements from. An array of
/// `Identifiable` elements is one too: they are looked for, and found again where they were.
///
/// For a collection of your own whose elements are `Identifiable`, declare the conformance; nothing more is needed:
/// `extension Stack: KeyedElements where Element: Identifiable {}`. The compiler is quicker with it where many
/// `forEach` follow one another.
public protocol KeyedElements {
    associatedtype Key: Hashable
    associatedtype Value

    var count: Int { get }

    /// An element; nil if it is not there.
    func element(under key: Key) -> Value?

    /// Changes an element where it is.
    /// - Returns: Whether it is there.
    mutating func changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool

    /// How elements are found by who looks for them again and again.
    static func _makeFinder() -> _ElementFinder<Self, Key, Value>
}

/// Finds elements of one collection. It may remember where they were.
public struct _ElementFinder<Elements, Key, Value> {
    /// Looks at an element; false if it is not there.
    let look: (Elements, Key, (Value) -> Void) -> Bool
    /// Changes an element in place; false if it is not there.
    let change: (inout Elements, Key, (inout Value) -> Void) -> Bool
}

extension KeyedElements {
    public static func _makeFinder() -> _ElementFinder<Self, Key, Value> {
        _ElementFinder { elements, key, body in
            guard let element = elements.element(under: key) else { return false }
            body(element)
            return true
        } change: { elements, key, body in
            elements.changeElement(under: key, body)
        }
    }
}

extension KeyedElements
where Self: MutableCollection & RandomAccessCollection, Element: Identifiable, Key == Element.ID, Value == Element {
    /// - Complexity: O(*n*), where *n* is the number of elements.
    public func element(under key: Key) -> Value? {
        first { isSameKey($0.id, key) }
    }

    /// - Complexity: O(*n*), where *n* is the number of elements.
    public mutating func changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let position = firstIndex(where: { isSameKey($0.id, key) }) else { return false }
        change(&self[position])
        return true
    }

    public static func _makeFinder() -> _ElementFinder<Self, Key, Value> {
        .rememberingPositions()
    }
}

extension _ElementFinder
where Elements: MutableCollection & RandomAccessCollection<Value>, Value: Identifiable<Key> {
    static func rememberingPositions() -> Self {
        let positions = ElementPositions<Elements>()
        return Self { elements, id, body in
            guard let position = positions.find(id, in: elements) else { return false }
            body(elements[position])
            return true
        } change: { elements, id, body in
            guard let position = positions.find(id, in: elements) else { return false }
            body(&elements[position])
            return true
        }
    }
}

extension Array: KeyedElements where Element: Identifiable {
    public typealias Key = Element.ID
    public typealias Value = Element
}

extension ContiguousArray: KeyedElements where Element: Identifiable {
    public typealias Key = Element.ID
    public typealias Value = Element
}

extension ArraySlice: KeyedElements where Element: Identifiable {
    public typealias Key = Element.ID
    public typealias Value = Element
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
