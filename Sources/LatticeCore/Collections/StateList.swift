/// A list for states, whose elements have an `id`: what a change costs depends on what changed, whatever the size.
///
/// Copies share what they have in common, as those of ``StateDictionary`` do. An element is found by its position or by
/// its `id`, and a change of one element, an insertion, a removal or a move touches nothing else. An `id` occurs once.
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
/// It encodes as an array of its elements.
@frozen
public struct StateList<Element: Identifiable> where Element.ID: StateKey {
    /// The elements by their labels, which say the order and nothing else.
    @usableFromInline var elements: SharedTree<ListLabel, Element>
    @usableFromInline var labels: SharedTree<Element.ID, ListLabel>
    /// What it was last brought up to date from, in `update`; nil after any other change.
    @usableFromInline var source: UpdateSource?

    @inlinable
    public init() {
        elements = SharedTree()
        labels = SharedTree()
    }

    /// Of several elements with the same `id` the first one stays.
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
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var elements: SharedTree<ListLabel, Element>.Iterator

        @inlinable
        init(_ elements: SharedTree<ListLabel, Element>.Iterator) { self.elements = elements }

        @inlinable
        public mutating func next() -> Element? { elements.next()?.value }
    }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(elements.makeIterator()) }

    @inlinable public var count: Int { elements.count }
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { elements.count }

    /// An element by its position.
    ///
    /// A change in place must leave the `id`; whoever wants another one removes the element and inserts the other.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(position: Int) -> Element {
        get { elements[offset: position].value }
        _modify {
            source = nil
            let (label, element) = elements[offset: position]
            let id = element.id
            guard let (leaf, slot) = elements.place(of: label) else { preconditionFailure("Index out of range.") }
            defer { precondition(isSameKey(leaf.values[slot].id, id), "An element of a StateList keeps its id.") }
            yield &leaf.values[slot]
        }
    }

    /// An element by its `id`. Setting one that is not there appends it; nil removes it.
    ///
    /// A change in place must leave the `id`.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(id id: Element.ID) -> Element? {
        get { labels[id].flatMap { elements[$0] } }
        _modify {
            source = nil
            if let label = labels[id], let (leaf, slot) = elements.place(of: label) {
                // Taken out meanwhile, so that what it holds is not copied.
                var element: Element? = leaf.values.remove(at: slot)
                defer {
                    if let element {
                        precondition(isSameKey(element.id, id), "An element of a StateList keeps its id.")
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
                        precondition(isSameKey(element.id, id), "An element of a StateList is set under its own id.")
                        append(element)
                    }
                }
                yield &element
            }
        }
    }

    /// The position of an element; nil if it is not there.
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(id: Element.ID) -> Int? { labels[id].flatMap { elements.offset(of: $0) } }

    /// - Complexity: O(log *n*).
    @inlinable
    public func contains(id: Element.ID) -> Bool { labels[id] != nil }

    /// The `id` of each element, in order. An `id` is found among them as in the list.
    @inlinable public var ids: IDs { IDs(self) }
}

// MARK: Changing

extension StateList {
    /// - Returns: Whether it was appended; an element whose `id` is there already is not.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element) -> Bool { insert(element, at: count) }

    /// - Parameter position: At most `count`.
    /// - Returns: Whether it was inserted; an element whose `id` is there already is not.
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

    /// Puts an element in the place of the one with its `id`, or behind all others if there is none.
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

    /// - Returns: The element, if it was there.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func remove(id: Element.ID) -> Element? {
        guard let label = labels.removeValue(forKey: id) else { return nil }
        source = nil
        return elements.removeValue(forKey: label)
    }

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

    /// - Complexity: O(*n*).
    @inlinable
    public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        for id in try filter(shouldBeRemoved).map(\.id) { remove(id: id) }
    }

    @inlinable
    public mutating func removeAll() { self = Self() }

    /// Moves an element.
    /// - Parameter position: Where it is afterwards; below `count`.
    /// - Returns: Whether it is there.
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
    @inlinable
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension StateList: Equatable where Element: Equatable {
    /// - Complexity: O(*k* log *n*) for two that differ in *k* elements and are made one from the other; else O(*n*).
    @inlinable
    public static func == (first: Self, second: Self) -> Bool {
        guard first.count == second.count else { return false }
        do {
            try first.elements.differences(from: second.elements) { difference throws(Differs) in
                switch difference {
                case .shared: break
                case .both(_, let old, let new):
                    if old != new || !isSameKey(old.id, new.id) { throw Differs() }
                // Labels differ where equal lists were made in different ways.
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
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension StateList: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Array(self).description }
    public var debugDescription: String { Array(self).debugDescription }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}
