extension SharedTree {
    /// What one tree has to another, part by part in the order of the keys.
    @frozen
    @usableFromInline
    enum Difference {
        /// So many elements that both share, and that nobody has looked at.
        case shared(Int)
        /// Both have the key; whether the values differ is for the caller to say.
        case both(Key, old: Value, new: Value)
        case removed(Key, Value)
        case inserted(Key, Value)
    }

    /// Goes over what this tree has not in common with another.
    ///
    /// - Parameter body: Called for all elements of the two, in order.
    /// - Complexity: O(*k* log *n*) for *k* changes that lead from the one to the other; O(*n*) if the one was not made
    ///   from the other.
    @inlinable
    func differences<Failure: Error>(
        from old: SharedTree,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
        guard !isIdentical(to: old) else {
            if count > 0 { try body(.shared(count)) }
            return
        }
        var old = Walk(old.root)
        var new = Walk(root)
        while let first = old.item, let second = new.item {
            switch (first, second) {
            case (.below(let one), .below(let two)):
                if one === two {
                    try body(.shared(one.count))
                    old.advance()
                    new.advance()
                } else if one.height != two.height {
                    if one.height > two.height { old.descend() } else { new.descend() }
                } else {
                    // What begins first has nothing of the other, which may be met again as a whole.
                    let (oneKey, twoKey) = (one.keys[0], two.keys[0])
                    if !Key._precedes(twoKey, oneKey) { old.descend() }
                    if !Key._precedes(oneKey, twoKey) { new.descend() }
                }
            case (.below(let node), .element(let leaf, let slot)):
                if Key._precedes(leaf.keys[slot], old.lowestKey) {
                    try body(.inserted(leaf.keys[slot], leaf.values[slot]))
                    new.advance()
                } else if new.ascend(to: node) {
                    continue
                } else {
                    old.descend()
                }
            case (.element(let leaf, let slot), .below(let node)):
                if Key._precedes(leaf.keys[slot], new.lowestKey) {
                    try body(.removed(leaf.keys[slot], leaf.values[slot]))
                    old.advance()
                } else if old.ascend(to: node) {
                    continue
                } else {
                    new.descend()
                }
            case (.element(let one, let oneSlot), .element(let two, let twoSlot)):
                let (oneKey, twoKey) = (one.keys[oneSlot], two.keys[twoSlot])
                if Key._precedes(oneKey, twoKey) {
                    try body(.removed(oneKey, one.values[oneSlot]))
                    old.advance()
                } else if Key._precedes(twoKey, oneKey) {
                    try body(.inserted(twoKey, two.values[twoSlot]))
                    new.advance()
                } else {
                    try body(.both(twoKey, old: one.values[oneSlot], new: two.values[twoSlot]))
                    old.advance()
                    new.advance()
                }
            }
        }
        while let (key, value) = old.nextElement() { try body(.removed(key, value)) }
        while let (key, value) = new.nextElement() { try body(.inserted(key, value)) }
    }

    /// A way through a tree that goes into a node only when it has to.
    @frozen
    @usableFromInline
    struct Walk {
        @frozen
        @usableFromInline
        enum Item {
            /// All that is below a node.
            case below(Node)
            case element(Node, Int)
        }

        /// Nodes that were gone into, each with its present slot.
        @usableFromInline var path: ContiguousArray<(node: Node, slot: Int)> = []

        @inlinable
        init(_ root: Node?) {
            if let root { path.append((root, 0)) }
        }

        @inlinable var item: Item? {
            guard let (node, slot) = path.last else { return nil }
            return node.isLeaf ? .element(node, slot) : .below(node.children[slot])
        }

        /// A key that none of the present item precedes.
        @inlinable var lowestKey: Key {
            let (node, slot) = path[path.count - 1]
            return node.keys[slot]
        }

        @inlinable
        mutating func descend() {
            if case .below(let node)? = item { path.append((node, 0)) }
        }

        /// Leaves what was gone into in vain, as it turns out: the node, if its first element is the present one.
        @inlinable
        mutating func ascend(to node: Node) -> Bool {
            var level = path.count - 1
            while level > 0, path[level].slot == 0 {
                if path[level].node === node {
                    path.removeSubrange(level...)
                    return true
                }
                level -= 1
            }
            return false
        }

        @inlinable
        mutating func advance() {
            while let last = path.indices.last {
                path[last].slot += 1
                if path[last].slot < path[last].node.keys.count { return }
                path.removeLast()
            }
        }

        @inlinable
        mutating func nextElement() -> (key: Key, value: Value)? {
            while let item {
                switch item {
                case .below: descend()
                case .element(let leaf, let slot):
                    advance()
                    return (leaf.keys[slot], leaf.values[slot])
                }
            }
            return nil
        }
    }
}
