extension StateDictionary {
    /// Brings this up to date with another dictionary, going only over what has changed there since the last time.
    ///
    /// For reducers: a change of one of 100,000 elements visits one. Any other change of this dictionary, and the first
    /// call, visits all.
    ///
    /// ```swift
    /// viewState.rows.update(from: state.files) { path, file, row in
    ///     row = Row(title: path, size: file.size)
    /// }
    /// ```
    /// - Parameter change: Called with a key, its value in `source`, and what this has for it, nil if nothing. What is
    ///   left as nil is not there. It may depend on nothing else; see ``update(from:dependingOn:_:)``. It is called
    ///   where anything in the value has changed, also a part that `==` leaves out.
    /// - Complexity: O(*k* log *n*) for *k* changed elements.
    @inlinable
    public mutating func update<Source: Equatable & Sendable>(
        from source: StateDictionary<Key, Source>,
        _ change: (Key, Source, inout Value?) throws -> Void
    ) rethrows {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// The same for elements that depend on something besides: when that differs from the last time, all are visited.
    @inlinable
    public mutating func update<Source: Equatable & Sendable, Context: Equatable & Sendable>(
        from source: StateDictionary<Key, Source>,
        dependingOn context: Context,
        _ change: (Key, Source, inout Value?) throws -> Void
    ) rethrows {
        let last = self.source as? UpdateSourceTree<Key, Source, Context>
        let isKnown = last?.context == context
        if !isKnown {
            for key in Array(keys) where !source.contains(key: key) { self[key] = nil }
        }
        let tree = isKnown ? last?.tree ?? SharedTree() : SharedTree()
        try source.tree.differences(from: tree) { (difference) throws(any Error) in
            switch difference {
            case .shared: break
            case .both(let key, let old, let new): if !hasSameContent(old, new) { try change(key, new, &self[key]) }
            case .inserted(let key, let new): try change(key, new, &self[key])
            case .removed(let key, _): self[key] = nil
            }
        }
        self.source = UpdateSourceTree(source.tree, context)
    }
}
