extension StateList {
    /// The `id` of each element of a list, in the order of the elements.
    @frozen
    public struct IDs: RandomAccessCollection {
        @usableFromInline let list: StateList

        @inlinable
        init(_ list: StateList) { self.list = list }

        /// The position of the first id, which is always 0.
        @inlinable public var startIndex: Int { 0 }
        /// The position after the last id, which is the number of elements.
        @inlinable public var endIndex: Int { list.count }

        /// The `id` of the element at a position.
        /// - Complexity: O(log *n*).
        @inlinable
        public subscript(position: Int) -> Element.ID { list[position].id }

        /// Returns an iterator over the ids in the order of the elements.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(elements: list.makeIterator()) }

        /// An iterator over the ids.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var elements: StateList.Iterator

            @inlinable
            init(elements: StateList.Iterator) { self.elements = elements }

            /// Returns the next id, or nil after the last one.
            @inlinable
            public mutating func next() -> Element.ID? { elements.next()?.id }
        }

        // `contains(_:)` and `firstIndex(of:)` call these methods. Without them, they would compare ids with `==`.

        /// Returns whether the list has an element with the id, in O(log *n*) time.
        @inlinable
        public func _customContainsEquatableElement(_ id: Element.ID) -> Bool? { list.contains(id: id) }

        /// Returns the position of the element with the id, or nil if there is none, in O(log *n*) time.
        @inlinable
        public func _customIndexOfEquatableElement(_ id: Element.ID) -> Int?? { .some(list.index(id: id)) }

        /// Returns the same position as for the first index, because each id occurs only once.
        @inlinable
        public func _customLastIndexOfEquatableElement(_ id: Element.ID) -> Int?? { .some(list.index(id: id)) }
    }
}

extension StateList.IDs: Sendable where Element: Sendable {}
