/// A dictionary for states. The cost of a change depends on what changed, not on the size of the dictionary.
///
/// Copies share their common parts, so an old copy costs only the memory of what has changed since, and the differences
/// between two copies are found without looking at the rest. In a state that a worker sends, a `StateDictionary` of
/// 100,000 elements costs only what its changes cost. A plain `Dictionary` is copied and compared as a whole for each
/// change.
///
/// ```swift
/// @Patchable struct Archive: Codable, Equatable, Sendable {
///     var files: StateDictionary<String, File> = [:]
/// }
/// state.files[path] = File(size: size)
/// state.files[path]?.words += 1
/// ```
///
/// The elements are in the order of ``StateKey``, which is the same in every process. A dictionary is encoded as a map
/// from keys to values. Changing a value in place copies nothing if the dictionary is not shared.
@frozen
public struct StateDictionary<Key: StateKey, Value> {
    @usableFromInline var tree: SharedTree<Key, Value>
    /// The source of the last `update`, or nil after any other change.
    @usableFromInline var source: UpdateSource?

    /// Creates an empty dictionary.
    @inlinable
    public init() {
        tree = SharedTree()
    }

    @inlinable
    init(_ tree: SharedTree<Key, Value>) {
        self.tree = tree
    }

    /// Creates a dictionary from keys with values. If a key occurs several times, the last value is kept.
    /// - Complexity: O(*n* log *n*).
    @inlinable
    public init(_ elements: some Sequence<(Key, Value)>) {
        self.init()
        for (key, value) in elements { tree.updateValue(value, forKey: key) }
    }

    /// A Boolean value that indicates whether the dictionary has no elements.
    @inlinable public var isEmpty: Bool { tree.root == nil }

    /// The value of a key, or nil if the key does not exist.
    ///
    /// Changing a part of the value, as in `files[path]?.size = 12`, changes it in place.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(key: Key) -> Value? {
        get { tree[key] }
        set {
            source = nil
            if let newValue { tree.updateValue(newValue, forKey: key) } else { tree.removeValue(forKey: key) }
        }
        _modify {
            source = nil
            if let (leaf, slot) = tree.place(of: key) {
                // The value is moved out during the change, so that the change does not copy its contents.
                var value: Value? = leaf.values.remove(at: slot)
                defer {
                    if let value {
                        leaf.values.insert(value, at: slot)
                    } else {
                        tree.remove(key, isTaken: true)
                    }
                }
                yield &value
            } else {
                var value: Value?
                defer { if let value { tree.updateValue(value, forKey: key) } }
                yield &value
            }
        }
    }

    /// The value of a key, or a default value if the key does not exist. A change adds the key.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
        get { tree[key] ?? defaultValue() }
        _modify {
            source = nil
            if !tree.contains(key) { tree.updateValue(defaultValue(), forKey: key) }
            guard let (leaf, slot) = tree.place(of: key) else { preconditionFailure("The key was just added.") }
            yield &leaf.values[slot]
        }
    }

    /// Sets the value of a key.
    /// - Returns: The previous value.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        source = nil
        return tree.updateValue(value, forKey: key)
    }

    /// Removes a key.
    /// - Returns: The previous value.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        source = nil
        return tree.removeValue(forKey: key)
    }

    /// Removes all elements.
    @inlinable
    public mutating func removeAll() { self = Self() }

    /// Returns whether a key exists.
    /// - Complexity: O(log *n*).
    @inlinable
    public func contains(key: Key) -> Bool { tree.contains(key) }

    /// The keys in their order. Looking up a key in them works as in the dictionary.
    @inlinable public var keys: Keys { Keys(self) }

    /// The values in the order of their keys.
    @inlinable public var values: some Collection<Value> { lazy.map(\.value) }
}

extension StateDictionary: Sendable where Value: Sendable {}

extension StateDictionary: Collection {
    /// A key with its value.
    public typealias Element = (key: Key, value: Value)

    /// The position of an element: the number of elements before it.
    @frozen
    public struct Index: Comparable, Hashable, Sendable {
        @usableFromInline let offset: Int

        @inlinable
        init(_ offset: Int) { self.offset = offset }

        /// Returns whether the first position comes before the second one.
        @inlinable
        public static func < (first: Index, second: Index) -> Bool { first.offset < second.offset }
    }

    /// An iterator over the elements.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var elements: SharedTree<Key, Value>.Iterator

        @inlinable
        init(_ elements: SharedTree<Key, Value>.Iterator) { self.elements = elements }

        /// Returns the element with the next key, or nil after the last one.
        @inlinable
        public mutating func next() -> (key: Key, value: Value)? { elements.next() }
    }

    /// Returns an iterator over the elements in ascending order of their keys.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(tree.makeIterator()) }

    /// The number of elements.
    @inlinable public var count: Int { tree.count }
    /// The position of the first element, or `endIndex` if the dictionary is empty.
    @inlinable public var startIndex: Index { Index(0) }
    /// The position after the last element.
    @inlinable public var endIndex: Index { Index(tree.count) }

    /// Returns the position after another one.
    @inlinable
    public func index(after index: Index) -> Index { Index(index.offset + 1) }

    /// Returns the position that is `distance` elements after another one, in constant time.
    @inlinable
    public func index(_ index: Index, offsetBy distance: Int) -> Index { Index(index.offset + distance) }

    /// Returns the number of elements from one position to another, in constant time.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { end.offset - start.offset }

    /// The element at a position.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(position: Index) -> (key: Key, value: Value) { tree[offset: position.offset] }

    /// Returns the position of a key, or nil if the key does not exist.
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(forKey key: Key) -> Index? { tree.offset(of: key).map { Index($0) } }
}

extension StateDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary from a literal. If a key occurs several times, the last value is kept.
    @inlinable
    public init(dictionaryLiteral elements: (Key, Value)...) { self.init(elements) }
}

extension StateDictionary: Equatable where Value: Equatable {
    /// Returns whether two dictionaries have equal elements.
    /// - Complexity: O(*k* log *n*) if the dictionaries differ in *k* elements and one was made from the other, else
    ///   O(*n*).
    @inlinable
    public static func == (first: Self, second: Self) -> Bool {
        guard first.count == second.count else { return false }
        do {
            try first.tree.differences(from: second.tree) { difference throws(Differs) in
                switch difference {
                case .shared: break
                case .both(_, let old, let new): if old != new { throw Differs() }
                case .removed, .inserted: throw Differs()
                }
            }
            return true
        } catch {
            return false
        }
    }
}

extension StateDictionary: Hashable where Value: Hashable {
    /// Hashes the number of elements, then each key with its value in the order of the keys.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (key, value) in self {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

/// An error that ends a comparison of two collections that are not equal.
@usableFromInline
struct Differs: Error {
    @inlinable
    init() {}
}

extension StateDictionary: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements in the form of a dictionary literal, in ascending order of their keys.
    public var description: String {
        isEmpty
            ? "[:]" : "[" + map { "\(String(reflecting: $0)): \(String(reflecting: $1))" }.joined(separator: ", ") + "]"
    }

    /// The same text as `description`.
    public var debugDescription: String { description }

    /// A mirror whose children are the elements, in ascending order of their keys.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary) }
}
