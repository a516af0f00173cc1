public import LatticeCollections

/// A collection whose elements are found by a key, such as a dictionary, a `StateDictionary` or a `StateList`.
///
/// `Interactor.forEach(state:action:endsEffects:reportsMissing:element:)` takes its elements from such a collection.
/// An array of `Identifiable` elements conforms too: an element is searched for once, and its position is remembered.
///
/// For a collection of your own with `Identifiable` elements, only declare the conformance:
/// `extension Stack: KeyedElements where Element: Identifiable {}`. It makes code with many `forEach` in a row compile
/// faster.
public protocol KeyedElements {
    /// The type that identifies an element.
    associatedtype Key: Hashable
    /// The type of the elements.
    associatedtype Value

    /// The number of elements.
    var count: Int { get }

    /// Returns the element with a key, or nil if it does not exist.
    func _element(under key: Key) -> Value?

    /// Changes the element with a key in place.
    /// - Returns: Whether the element exists.
    mutating func _changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool

    /// Returns the functions that find elements, for a caller that looks for elements repeatedly.
    static func _makeFinder() -> _ElementFinder<Self, Key, Value>
}

/// The functions that find elements of one collection. They can remember positions.
public struct _ElementFinder<Elements, Key, Value> {
    /// Calls the closure with an element. Returns false if the element does not exist.
    let look: (Elements, Key, (Value) -> Void) -> Bool
    /// Changes an element in place. Returns false if the element does not exist.
    let change: (inout Elements, Key, (inout Value) -> Void) -> Bool
}

extension KeyedElements {
    /// Returns functions that look up each element by its key.
    public static func _makeFinder() -> _ElementFinder<Self, Key, Value> {
        _ElementFinder { elements, key, body in
            guard let element = elements._element(under: key) else { return false }
            body(element)
            return true
        } change: { elements, key, body in
            elements._changeElement(under: key, body)
        }
    }
}

extension KeyedElements
where Self: MutableCollection & RandomAccessCollection, Element: Identifiable, Key == Element.ID, Value == Element {
    /// Returns the element with an identity, or nil if it does not exist.
    /// - Complexity: O(*n*), where *n* is the number of elements.
    public func _element(under key: Key) -> Value? {
        first { isSameKey($0.id, key) }
    }

    /// Changes the element with an identity in place.
    /// - Returns: Whether the element exists.
    /// - Complexity: O(*n*), where *n* is the number of elements.
    public mutating func _changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let position = firstIndex(where: { isSameKey($0.id, key) }) else { return false }
        change(&self[position])
        return true
    }

    /// Returns functions that remember the positions of elements.
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
    /// The identity of an element.
    public typealias Key = Element.ID
    /// An element.
    public typealias Value = Element
}

extension ContiguousArray: KeyedElements where Element: Identifiable {
    /// The identity of an element.
    public typealias Key = Element.ID
    /// An element.
    public typealias Value = Element
}

extension ArraySlice: KeyedElements where Element: Identifiable {
    /// The identity of an element.
    public typealias Key = Element.ID
    /// An element.
    public typealias Value = Element
}

extension Dictionary: KeyedElements {
    /// Returns the value of a key, or nil if there is none. The result is also nil for a key that is equal to a stored
    /// key according to `==` but differs from it in the sense of `StateKey`.
    @inlinable
    public func _element(under key: Key) -> Value? { position(of: key).map { values[$0] } }

    /// Changes the value of a key in place.
    /// - Returns: Whether the key exists.
    @inlinable
    public mutating func _changeElement(under key: Key, _ change: (inout Value) -> Void) -> Bool {
        guard let position = position(of: key) else { return false }
        change(&values[position])
        return true
    }
}

extension StateDictionary: KeyedElements {
    /// Returns the value of a key, or nil if there is none.
    @inlinable
    public func _element(under key: Key) -> Value? { self[key] }
}

extension StateList: KeyedElements {
    /// Returns the element with an identity, or nil if it does not exist.
    @inlinable
    public func _element(under key: Element.ID) -> Element? { self[id: key] }
}
