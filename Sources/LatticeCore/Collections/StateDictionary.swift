/// A dictionary for states: what a change costs depends on what changed, whatever the size.
///
/// Copies share what they have in common, so keeping an old one costs nothing, and what differs between the two is
/// found without looking at the rest. A dictionary of 100,000 elements in a state that a worker sends costs what its
/// changes cost; of a plain `Dictionary` the whole is copied and compared for each change.
///
/// ```swift
/// @Patchable struct Archive: Codable, Equatable, Sendable {
///     var files: StateDictionary<String, File> = [:]
/// }
/// state.files[path] = File(size: size)
/// state.files[path]?.words += 1
/// ```
///
/// Its elements are in the order of ``StateKey``, which is the same in every process. It encodes as a map from keys to
/// values. A change in place of a value that nobody else has copies nothing.
@frozen
public struct StateDictionary<Key: StateKey, Value> {
    @usableFromInline var tree: SharedTree<Key, Value>
    /// What it was last brought up to date from, in `update`; nil after any other change.
    @usableFromInline var source: UpdateSource?

    @inlinable
    public init() {
        tree = SharedTree()
    }

    @inlinable
    init(_ tree: SharedTree<Key, Value>) {
        self.tree = tree
    }

    /// Of keys with values; of those with the same key the last one stays.
    /// - Complexity: O(*n* log *n*).
    @inlinable
    public init(_ elements: some Sequence<(Key, Value)>) {
        self.init()
        for (key, value) in elements { tree.updateValue(value, forKey: key) }
    }

    @inlinable public var isEmpty: Bool { tree.root == nil }

    /// The value of a key.
    ///
    /// Changing a part of it, as in `files[path]?.size = 12`, changes it where it is.
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
                // Taken out meanwhile, so that what it holds is not copied.
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

    /// The value of a key, or another one if it is not there; a change adds it.
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

    /// - Returns: The value that was there.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        source = nil
        return tree.updateValue(value, forKey: key)
    }

    /// - Returns: The value that was there.
    /// - Complexity: O(log *n*).
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        source = nil
        return tree.removeValue(forKey: key)
    }

    @inlinable
    public mutating func removeAll() { self = Self() }

    /// - Complexity: O(log *n*).
    @inlinable
    public func contains(key: Key) -> Bool { tree.contains(key) }

    /// The keys in their order. A key is found among them as in the dictionary.
    @inlinable public var keys: Keys { Keys(self) }

    /// The values in the order of their keys.
    @inlinable public var values: some Collection<Value> { lazy.map(\.value) }
}

extension StateDictionary: Sendable where Value: Sendable {}

extension StateDictionary: Collection {
    public typealias Element = (key: Key, value: Value)

    /// How many elements go before one.
    @frozen
    public struct Index: Comparable, Hashable, Sendable {
        @usableFromInline let offset: Int

        @inlinable
        init(_ offset: Int) { self.offset = offset }

        @inlinable
        public static func < (first: Index, second: Index) -> Bool { first.offset < second.offset }
    }

    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var elements: SharedTree<Key, Value>.Iterator

        @inlinable
        init(_ elements: SharedTree<Key, Value>.Iterator) { self.elements = elements }

        @inlinable
        public mutating func next() -> (key: Key, value: Value)? { elements.next() }
    }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(tree.makeIterator()) }

    @inlinable public var count: Int { tree.count }
    @inlinable public var startIndex: Index { Index(0) }
    @inlinable public var endIndex: Index { Index(tree.count) }

    @inlinable
    public func index(after index: Index) -> Index { Index(index.offset + 1) }

    @inlinable
    public func index(_ index: Index, offsetBy distance: Int) -> Index { Index(index.offset + distance) }

    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { end.offset - start.offset }

    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(position: Index) -> (key: Key, value: Value) { tree[offset: position.offset] }

    /// Where a key is; nil if it is not there.
    /// - Complexity: O(log *n*).
    @inlinable
    public func index(forKey key: Key) -> Index? { tree.offset(of: key).map { Index($0) } }
}

extension StateDictionary: ExpressibleByDictionaryLiteral {
    @inlinable
    public init(dictionaryLiteral elements: (Key, Value)...) { self.init(elements) }
}

extension StateDictionary: Equatable where Value: Equatable {
    /// - Complexity: O(*k* log *n*) for two that differ in *k* elements and are made one from the other; else O(*n*).
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
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (key, value) in self {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

/// Two collections are not equal.
@usableFromInline
struct Differs: Error {
    @inlinable
    init() {}
}

extension StateDictionary: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        isEmpty
            ? "[:]" : "[" + map { "\(String(reflecting: $0)): \(String(reflecting: $1))" }.joined(separator: ", ") + "]"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary) }
}
