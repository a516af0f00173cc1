/// A list for states, whose elements have an `id`. The cost of a change depends on what changed, not on the size of the
/// list.
///
/// Copies share their common parts, like those of ``StateDictionary``. An element is found by its position or by its
/// `id`. Changing, inserting, removing or moving an element does not touch the others. Each `id` occurs once.
///
/// ```swift
/// @Patchable struct Board: Codable, Equatable, Sendable {
///     var cards: StateList<Card> = []
/// }
/// state.cards.append(Card(id: 7, title: "Write it down"))
/// state.cards[id: 7]?.title = "Build it"
/// state.cards.move(id: 7, to: 0)
/// ```
///
/// A list is encoded as an array of its elements.
@frozen
public struct StateList<Element: Identifiable> where Element.ID: StateKey {
    /// The elements by their labels, which define the order and nothing else.
    @usableFromInline var elements: SharedTree<ListLabel, Element>
    /// The label of each element by its `id`.
    @usableFromInline var labels: SharedTree<Element.ID, ListLabel>
    /// The source of the last `update`, or nil after any other change.
    @usableFromInline var source: UpdateSource?

    /// Creates an empty list.
    @inlinable
    public init() {
        elements = SharedTree()
        labels = SharedTree()
    }

    /// Creates a list from elements. If several elements have the same `id`, the first one is kept.
    /// - Complexity: O(*n* log *n*).
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { append(element) }
    }
}

extension StateList: Sendable where Element: Sendable {}

// MARK: Reading

extension StateList: RandomAccessCollection {
    /// An iterator over the elements.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var elements: SharedTree<ListLabel, Element>.Iterator

        @inlinable
        init(_ elements: SharedTree<ListLabel, Element>.Iterator) { self.elements = elements }

        /// Returns the next element, or nil after the last one.
        @inlinable
        public mutating func next() -> Element? { elements.next()?.value }
    }

    /// Returns an iterator over the elements in their order.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(elements.makeIterator()) }

    /// The number of elements.
    @inlinable public var count: Int { elements.count }
    /// The position of the first element, which is always 0.
    @inlinable public var startIndex: Int { 0 }
    /// The position after the last element, which is the number of elements.
    @inlinable public var endIndex: Int { elements.count }

    /// The element at a position.
    ///
    /// A change in place must keep the `id`. To replace an element by one with another `id`, remove it and insert the
    /// other one.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(position: Int) -> Element {
        get { elements[offset: position].value }
        _modify {
            source = nil
            let (label, element) = elements[offset: position]
            let id = element.id
            guard let (leaf, slot) = elements.place(of: label) else { preconditionFailure("Index out of range.") }
            defer { precondition(isSameKey(leaf.values[slot].id, id), "The id of an element must not change.") }
            yield &leaf.values[slot]
        }
    }

    /// The element with an `id`, or nil if it does not exist. Setting a new element appends it, and setting nil removes
    /// the element.
    ///
    /// A change in place must keep the `id`.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(id id: Element.ID) -> Element? {
        get { labels[id].flatMap { elements[$0] } }
        _modify {
            source = nil
            if let label = labels[id], let (leaf, slot) = elements.place(of: label) {
                // The element is moved out during the change, so that the change does not copy its contents.
                var element: Element? = leaf.values.remove(at: slot)
                defer {
                    if let element {
                        precondition(isSameKey(element.id, id), "The id of an element must not change.")
                        leaf.values.insert(element, at: slot)
                    } else {
                        elements.remove(label, isTaken: true)
                        labels.remove(id)
                    }
                }
                yield &element
            } else {
                var element: Element?
                defer {
                    if let element {
                        precondition(isSameKey(element.id, id), "An element must be set under its own id.")
                        append(element)
                    }
                }
                yield &element
            }
        }
    }

    /// Returns the position of an element, or nil if it does not exist.
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(id: Element.ID) -> Int? { labels[id].flatMap { elements.offset(of: $0) } }

    /// Returns whether an element with an `id` exists.
    /// - Complexity: O(log *n*).
    @inlinable
    public func contains(id: Element.ID) -> Bool { labels[id] != nil }

    /// The `id` of each element, in order. Looking up an `id` in them works as in the list.
    @inlinable public var ids: IDs { IDs(self) }
}

// MARK: Changing

extension StateList {
    /// Appends an element, unless an element with its `id` exists.
    /// - Returns: Whether the element was appended.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element) -> Bool { insert(element, at: count) }

    /// Inserts an element, unless an element with its `id` exists.
    /// - Parameters:
    ///   - element: The element.
    ///   - position: The position of the new element, from 0 to `count`.
    /// - Returns: Whether the element was inserted.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element, at position: Int) -> Bool {
        precondition((0...count).contains(position), "Index out of range.")
        let id = element.id
        guard labels[id] == nil else { return false }
        source = nil
        let label = makeLabel(at: position)
        elements.updateValue(element, forKey: label)
        labels.updateValue(label, forKey: id)
        return true
    }

    /// Replaces the element with the same `id`, or appends the element if there is none.
    /// - Complexity: O(log *n*).
    @inlinable
    public mutating func updateOrAppend(_ element: Element) {
        guard let label = labels[element.id] else {
            append(element)
            return
        }
        source = nil
        elements.updateValue(element, forKey: label)
    }

    /// Removes the element with an `id`.
    /// - Returns: The element, if it existed.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func remove(id: Element.ID) -> Element? {
        guard let label = labels.removeValue(forKey: id) else { return nil }
        source = nil
        return elements.removeValue(forKey: label)
    }

    /// Removes the element at a position.
    /// - Returns: The element.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func remove(at position: Int) -> Element {
        let (label, element) = elements[offset: position]
        source = nil
        elements.remove(label)
        labels.remove(element.id)
        return element
    }

    /// Removes all elements that satisfy a condition.
    /// - Complexity: O(*n*).
    @inlinable
    public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        for id in try filter(shouldBeRemoved).map(\.id) { remove(id: id) }
    }

    /// Removes all elements.
    @inlinable
    public mutating func removeAll() { self = Self() }

    /// Moves an element to another position.
    /// - Parameters:
    ///   - id: The `id` of the element.
    ///   - position: The position of the element after the move, from 0 to `count - 1`.
    /// - Returns: Whether the element exists.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func move(id: Element.ID, to position: Int) -> Bool {
        precondition(indices.contains(position), "Index out of range.")
        guard let label = labels[id], let from = elements.offset(of: label) else { return false }
        guard from != position else { return true }
        let element = remove(at: from)
        return insert(element, at: position)
    }
}

extension StateList: ExpressibleByArrayLiteral {
    /// Creates a list from a literal. If several elements have the same `id`, the first one is kept.
    @inlinable
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension StateList: Equatable where Element: Equatable {
    /// Returns whether two lists have equal elements in the same order.
    /// - Complexity: O(*k* log *n*) if the lists differ in *k* elements and one was made from the other, else O(*n*).
    @inlinable
    public static func == (first: Self, second: Self) -> Bool {
        guard first.count == second.count else { return false }
        do {
            try first.elements.differences(from: second.elements) { difference throws(Differs) in
                switch difference {
                case .shared: break
                case .both(_, let old, let new):
                    if old != new || !isSameKey(old.id, new.id) { throw Differs() }
                // Equal lists that were made in different ways have different labels.
                case .removed, .inserted: throw Differs()
                }
            }
            return true
        } catch {
            return first.elementsEqual(second) { $0 == $1 && isSameKey($0.id, $1.id) }
        }
    }
}

extension StateList: Hashable where Element: Hashable {
    /// Hashes the number of elements, then each element in its order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension StateList: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements in the form of an array.
    public var description: String { Array(self).description }
    /// The elements in the form that an array has when it is debugged.
    public var debugDescription: String { Array(self).debugDescription }
    /// A mirror whose children are the elements in their order.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}
