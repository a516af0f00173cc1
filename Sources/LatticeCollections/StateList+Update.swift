extension StateList {
    /// Updates this list from a dictionary, in the order of its keys. It visits only the elements of the source that
    /// have changed since the last update, as ``StateDictionary/update(from:_:)`` does. The `id` of an element is its
    /// key in the dictionary.
    /// - Parameters:
    ///   - source: The dictionary whose changed elements are visited.
    ///   - change: Called with a key, its value in `source`, and the element in this list, or nil if there is none. If
    ///     the closure leaves nil, the element is removed.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, and O(log² *n*) for each new element.
    @inlinable
    public mutating func update<Source: Equatable & Sendable>(
        from source: StateDictionary<Element.ID, Source>,
        _ change: (Element.ID, Source, inout Element?) throws -> Void
    ) rethrows {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// Updates this list from a dictionary, for elements that also depend on a context. If the context differs from the
    /// last one, all elements are visited.
    @inlinable
    public mutating func update<Source: Equatable & Sendable, Context: Equatable & Sendable>(
        from source: StateDictionary<Element.ID, Source>,
        dependingOn context: Context,
        _ change: (Element.ID, Source, inout Element?) throws -> Void
    ) rethrows {
        try update(from: source.tree, context, id: { id, _ in id }, key: { $0 }, change)
    }

    /// Updates this list from another list, in its order. It visits only the elements of the source that have changed
    /// since the last update, as ``StateDictionary/update(from:_:)`` does. An element has the same `id` in both lists.
    /// - Parameters:
    ///   - source: The list whose changed elements are visited.
    ///   - change: Called with an element of `source`, and the element in this list, or nil if there is none. If the
    ///     closure leaves nil, the element is removed.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, and O(log² *n*) for each new or moved element.
    @inlinable
    public mutating func update<Source: Identifiable & Equatable & Sendable>(
        from source: StateList<Source>,
        _ change: (Source, inout Element?) throws -> Void
    ) rethrows where Source.ID == Element.ID {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// Updates this list from another list, for elements that also depend on a context. If the context differs from the
    /// last one, all elements are visited.
    @inlinable
    public mutating func update<Source: Identifiable & Equatable & Sendable, Context: Equatable & Sendable>(
        from source: StateList<Source>,
        dependingOn context: Context,
        _ change: (Source, inout Element?) throws -> Void
    ) rethrows where Source.ID == Element.ID {
        try update(from: source.elements, context, id: { $1.id }, key: { source.labels[$0] }) { _, source, element in
            try change(source, &element)
        }
    }

    /// Updates this list from a tree.
    /// - Parameters:
    ///   - id: Returns the `id` of the element for an element of the source.
    ///   - key: Returns the current key of an element in the source, or nil if the source does not contain it.
    @inlinable
    mutating func update<Key: _TreeKey, Source: Equatable & Sendable, Context: Equatable & Sendable>(
        from tree: SharedTree<Key, Source>,
        _ context: Context,
        id: (Key, Source) -> Element.ID,
        key: (Element.ID) -> Key?,
        _ change: (Element.ID, Source, inout Element?) throws -> Void
    ) rethrows {
        guard let last = source as? UpdateSourceTree<Key, Source, Context>, last.context == context else {
            var next = Self()
            for (key, value) in tree {
                let id = id(key, value)
                var element = self[id: id]
                try change(id, value, &element)
                if let element { next.append(element) }
            }
            self = next
            source = UpdateSourceTree(tree, context)
            return
        }
        var additions: [(key: Key, value: Source)] = []
        var present: [(id: Element.ID, value: Source)] = []
        var removed = SharedTree<Element.ID, Source>()
        tree.differences(from: last.tree) { difference in
            switch difference {
            case .shared: break
            case .both(let key, let old, let new):
                if !isSameKey(id(key, old), id(key, new)) {
                    removed.updateValue(old, forKey: id(key, old))
                    additions.append((key, new))
                } else if !hasSameContent(old, new) {
                    present.append((id(key, new), new))
                }
            case .inserted(let key, let new): additions.append((key, new))
            case .removed(let key, let old): removed.updateValue(old, forKey: id(key, old))
            }
        }
        // Elements that are moved are removed first, so that the rest is in the order of the source.
        var moved = SharedTree<Element.ID, Element>()
        for (id, _) in removed {
            if let element = remove(id: id) { moved.updateValue(element, forKey: id) }
        }
        for (id, value) in present {
            if contains(id: id) {
                try change(id, value, &self[id: id])
            } else if let key = key(id) {
                additions.append((key, value))
            }
        }
        for (newKey, value) in additions {
            let id = id(newKey, value)
            var element = moved[id]
            let isOnlyMoved = removed[id].map { hasSameContent($0, value) } ?? false
            if !isOnlyMoved { try change(id, value, &element) }
            if let element { insert(element, at: position(before: newKey, key)) }
        }
        source = UpdateSourceTree(tree, context)
    }

    /// Returns the number of elements that precede an element with a key in the source.
    @inlinable
    func position<Key: _TreeKey>(before newKey: Key, _ key: (Element.ID) -> Key?) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if let present = key(self[middle].id), Key._precedes(present, newKey) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
