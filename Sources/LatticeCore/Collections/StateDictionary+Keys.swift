extension StateDictionary {
    /// The keys of a dictionary.
    @frozen
    public struct Keys: Collection {
        @usableFromInline let dictionary: StateDictionary

        @inlinable
        init(_ dictionary: StateDictionary) { self.dictionary = dictionary }

        @inlinable public var count: Int { dictionary.count }
        @inlinable public var startIndex: Index { dictionary.startIndex }
        @inlinable public var endIndex: Index { dictionary.endIndex }

        @inlinable
        public func index(after index: Index) -> Index { dictionary.index(after: index) }

        @inlinable
        public func index(_ index: Index, offsetBy distance: Int) -> Index {
            dictionary.index(index, offsetBy: distance)
        }

        @inlinable
        public func distance(from start: Index, to end: Index) -> Int { dictionary.distance(from: start, to: end) }

        /// - Complexity: O(log *n*).
        @inlinable
        public subscript(position: Index) -> Key { dictionary[position].key }

        @inlinable
        public func makeIterator() -> Iterator { Iterator(elements: dictionary.makeIterator()) }

        /// An iterator over the keys.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var elements: StateDictionary.Iterator

            @inlinable
            init(elements: StateDictionary.Iterator) { self.elements = elements }

            @inlinable
            public mutating func next() -> Key? { elements.next()?.key }
        }

        // `contains(_:)` and `firstIndex(of:)` call these methods. Without them, they would compare keys with `==`.

        @inlinable
        public func _customContainsEquatableElement(_ key: Key) -> Bool? { dictionary.contains(key: key) }

        @inlinable
        public func _customIndexOfEquatableElement(_ key: Key) -> Index?? { .some(dictionary.index(forKey: key)) }

        @inlinable
        public func _customLastIndexOfEquatableElement(_ key: Key) -> Index?? { .some(dictionary.index(forKey: key)) }
    }
}

extension StateDictionary.Keys: Sendable where Value: Sendable {}
