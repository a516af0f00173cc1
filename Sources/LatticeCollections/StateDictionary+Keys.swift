extension StateDictionary {
    /// The keys of a dictionary.
    @frozen
    public struct Keys: Collection {
        @usableFromInline let dictionary: StateDictionary

        @inlinable
        init(_ dictionary: StateDictionary) { self.dictionary = dictionary }

        /// The number of keys.
        @inlinable public var count: Int { dictionary.count }
        /// The position of the first key, or `endIndex` if the dictionary is empty.
        @inlinable public var startIndex: Index { dictionary.startIndex }
        /// The position after the last key.
        @inlinable public var endIndex: Index { dictionary.endIndex }

        /// Returns the position after another one.
        @inlinable
        public func index(after index: Index) -> Index { dictionary.index(after: index) }

        /// Returns the position that is `distance` keys after another one, in constant time.
        @inlinable
        public func index(_ index: Index, offsetBy distance: Int) -> Index {
            dictionary.index(index, offsetBy: distance)
        }

        /// Returns the number of keys from one position to another, in constant time.
        @inlinable
        public func distance(from start: Index, to end: Index) -> Int { dictionary.distance(from: start, to: end) }

        /// - Complexity: O(log *n*).
        @inlinable
        public subscript(position: Index) -> Key { dictionary[position].key }

        /// Returns an iterator over the keys in ascending order.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(elements: dictionary.makeIterator()) }

        /// An iterator over the keys.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var elements: StateDictionary.Iterator

            @inlinable
            init(elements: StateDictionary.Iterator) { self.elements = elements }

            /// Returns the next key, or nil after the last one.
            @inlinable
            public mutating func next() -> Key? { elements.next()?.key }
        }

        // `contains(_:)` and `firstIndex(of:)` call these methods. Without them, they would compare keys with `==`.

        /// Returns whether the dictionary has the key, in O(log *n*) time.
        @inlinable
        public func _customContainsEquatableElement(_ key: Key) -> Bool? { dictionary.contains(key: key) }

        /// Returns the position of a key, or nil if the dictionary does not have it, in O(log *n*) time.
        @inlinable
        public func _customIndexOfEquatableElement(_ key: Key) -> Index?? { .some(dictionary.index(forKey: key)) }

        /// Returns the same position as for the first index, because each key occurs only once.
        @inlinable
        public func _customLastIndexOfEquatableElement(_ key: Key) -> Index?? { .some(dictionary.index(forKey: key)) }
    }
}

extension StateDictionary.Keys: Sendable where Value: Sendable {}
