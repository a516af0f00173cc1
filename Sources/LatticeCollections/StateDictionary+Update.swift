extension StateDictionary {
    /// Updates this dictionary from another one. It visits only the elements of the source that have changed since the
    /// last update.
    ///
    /// Use it in reducers: a change of one of 100,000 elements visits one element. The first update, and an update
    /// after any other change of this dictionary, visits all elements.
    ///
    /// ```swift
    /// viewState.rows.update(from: state.files) { path, file, row in
    ///     row = Row(title: path, size: file.size)
    /// }
    /// ```
    /// - Parameters:
    ///   - source: The dictionary whose changed elements are visited.
    ///   - change: Called with a key, its value in `source`, and the value in this dictionary, or nil if there is none.
    ///     If the closure leaves nil, the key is removed. The result must depend on nothing else; otherwise use
    ///     ``update(from:dependingOn:_:)``. The closure is called if anything in the value has changed, including parts
    ///     that `==` ignores.
    /// - Complexity: O(*k* log *n*) for *k* changed elements.
    @inlinable
    public mutating func update<Source: Equatable & Sendable>(
        from source: StateDictionary<Key, Source>,
        _ change: (Key, Source, inout Value?) throws -> Void
    ) rethrows {
        try update(from: source, dependingOn: NoContext(), change)
    }

    /// Updates this dictionary from another one, for values that also depend on a context. If the context differs from
    /// the last one, all elements are visited.
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
