extension StateList {
    /// Brings this up to date with a dictionary, in the order of its keys, going only over what has changed there since
    /// the last time; see ``StateDictionary/update(from:_:)``. The `id` of an element is its key there.
    /// - Parameter change: Called with a key, its value in `source`, and the element that this has for it, nil if none.
    ///   What is left as nil is not there.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, and O(log² *n*) for each that is new.
    @inlinable
    public mutating func update<Source: Equatable & Sendable>(
        from source: StateDictionary<Element.ID, Source>,
        _ change: (Element.ID, Source, inout Element?) throws -> Void
    ) rethrows {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// The same for elements that depend on something besides: when that differs from the last time, all are visited.
    @inlinable
    public mutating func update<Source: Equatable & Sendable, Context: Equatable & Sendable>(
        from source: StateDictionary<Element.ID, Source>,
        dependingOn context: Context,
        _ change: (Element.ID, Source, inout Element?) throws -> Void
    ) rethrows {
        try update(from: source.tree, context, id: { id, _ in id }, key: { $0 }, change)
    }

    /// Brings this up to date with another list, in its order, going only over what has changed there since the last
    /// time; see ``StateDictionary/update(from:_:)``. An element here has the `id` of the one there.
    /// - Parameter change: Called with an element of `source`, and the one that this has for it, nil if none. What is
    ///   left as nil is not there.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, and O(log² *n*) for each that is new or moved.
    @inlinable
    public mutating func update<Source: Identifiable & Equatable & Sendable>(
        from source: StateList<Source>,
        _ change: (Source, inout Element?) throws -> Void
    ) rethrows where Source.ID == Element.ID {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// The same for elements that depend on something besides: when that differs from the last time, all are visited.
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

    /// - Parameters:
    ///   - id: The `id` of what is made of an element of the source.
    ///   - key: Where an element of the source is by now; nil if it is gone.
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
        var news: [(key: Key, value: Source)] = []
        var present: [(id: Element.ID, value: Source)] = []
        var gone = SharedTree<Element.ID, Source>()
        tree.differences(from: last.tree) { difference in
            switch difference {
            case .shared: break
            case .both(let key, let old, let new):
                if !isSameKey(id(key, old), id(key, new)) {
                    gone.updateValue(old, forKey: id(key, old))
                    news.append((key, new))
                } else if !hasSameContent(old, new) {
                    present.append((id(key, new), new))
                }
            case .inserted(let key, let new): news.append((key, new))
            case .removed(let key, let old): gone.updateValue(old, forKey: id(key, old))
            }
        }
        // What is moved goes first, so that all that is left is in the order of the source.
        var moved = SharedTree<Element.ID, Element>()
        for (id, _) in gone {
            if let element = remove(id: id) { moved.updateValue(element, forKey: id) }
        }
        for (id, value) in present {
            if contains(id: id) {
                try change(id, value, &self[id: id])
            } else if let key = key(id) {
                news.append((key, value))
            }
        }
        for (newKey, value) in news {
            let id = id(newKey, value)
            var element = moved[id]
            let isOnlyMoved = gone[id].map { hasSameContent($0, value) } ?? false
            if !isOnlyMoved { try change(id, value, &element) }
            if let element { insert(element, at: position(before: newKey, key)) }
        }
        source = UpdateSourceTree(tree, context)
    }

    /// How many elements belong before one with this place in the source.
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
