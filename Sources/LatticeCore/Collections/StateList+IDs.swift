extension StateList {
    /// The `id` of each element of a list, in the order of the elements.
    @frozen
    public struct IDs: RandomAccessCollection {
        @usableFromInline let list: StateList

        @inlinable
        init(_ list: StateList) { self.list = list }

        @inlinable public var startIndex: Int { 0 }
        @inlinable public var endIndex: Int { list.count }

        /// The `id` of the element at a position.
        /// - Complexity: O(log *n*).
        @inlinable
        public subscript(position: Int) -> Element.ID { list[position].id }

        @inlinable
        public func makeIterator() -> Iterator { Iterator(elements: list.makeIterator()) }

        /// An iterator over the ids.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var elements: StateList.Iterator

            @inlinable
            init(elements: StateList.Iterator) { self.elements = elements }

            @inlinable
            public mutating func next() -> Element.ID? { elements.next()?.id }
        }

        // `contains(_:)` and `firstIndex(of:)` call these methods. Without them, they would compare ids with `==`.

        @inlinable
        public func _customContainsEquatableElement(_ id: Element.ID) -> Bool? { list.contains(id: id) }

        @inlinable
        public func _customIndexOfEquatableElement(_ id: Element.ID) -> Int?? { .some(list.index(id: id)) }

        @inlinable
        public func _customLastIndexOfEquatableElement(_ id: Element.ID) -> Int?? { .some(list.index(id: id)) }
    }
}

extension StateList.IDs: Sendable where Element: Sendable {}
