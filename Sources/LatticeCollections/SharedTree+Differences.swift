extension SharedTree {
    /// A part of the difference between two trees. The parts follow one another in the order of the keys.
    @frozen
    @usableFromInline
    enum Difference {
        /// Elements that both trees share.
        case shared(Shared)
        /// A key that both trees contain. The caller determines whether the values differ.
        case both(Key, old: Value, new: Value)
        /// A key that only the old tree contains.
        case removed(Key, Value)
        /// A key that only the new tree contains.
        case inserted(Key, Value)
    }

    /// Adjacent slots of a node that two trees share.
    @frozen
    @usableFromInline
    struct Shared {
        @usableFromInline let node: Node
        @usableFromInline let slots: Range<Int>

        @inlinable
        init(_ node: Node, _ slots: Range<Int>) {
            self.node = node
            self.slots = slots
        }

        @inlinable
        init(below node: Node) {
            self.init(node, node.keys.indices)
        }

        /// The number of elements. It is computed on demand, because that reads nodes which otherwise need not be
        /// loaded.
        @inlinable var count: Int {
            if slots.count == node.keys.count { return node.count }
            return node.isLeaf ? slots.count : slots.reduce(0) { $0 + node.children[$1].count }
        }
    }

    /// Finds the differences between this tree and an older one.
    ///
    /// - Parameter body: Called for all parts of the two trees, in order.
    /// - Complexity: O(*k* log *n*) for *k* changes between the trees, or O(*n*) if neither tree was made from the
    ///   other.
    @inlinable
    func differences<Failure: Error>(
        from old: SharedTree,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
        guard let node = root, let oldNode = old.root else {
            var (old, new) = (Walk(old.root), Walk(root))
            return try Self.rest(of: &old, &new, body)
        }
        try Self.differences(from: oldNode, to: node, body)
    }

    /// Finds the differences between two nodes that cover the same range of keys.
    @inlinable
    static func differences<Failure: Error>(
        from old: Node,
        to new: Node,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
        if old === new { return try body(.shared(Shared(below: new))) }
        guard new.hasKeys(of: old) else { return try walk(from: old, to: new, body) }
        var sharedFrom = 0
        for slot in new.keys.indices where !new.shares(slot, with: old) {
            if sharedFrom < slot { try body(.shared(Shared(new, sharedFrom..<slot))) }
            sharedFrom = slot + 1
            if new.isLeaf {
                try body(.both(new.keys[slot], old: old.values[slot], new: new.values[slot]))
            } else {
                try differences(from: old.children[slot], to: new.children[slot], body)
            }
        }
        if sharedFrom < new.keys.count { try body(.shared(Shared(new, sharedFrom..<new.keys.count))) }
    }

    /// Finds the differences between two nodes whose slots do not correspond.
    @inlinable
    static func walk<Failure: Error>(
        from old: Node,
        to new: Node,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
        var old = Walk(old)
        var new = Walk(new)
        while let first = old.item, let second = new.item {
            switch (first, second) {
            case (.below(let one), .below(let two)):
                if one === two {
                    try body(.shared(Shared(below: one)))
                    old.advance()
                    new.advance()
                } else if one.height != two.height {
                    if one.height > two.height { old.descend() } else { new.descend() }
                } else {
                    // The node that starts first cannot be equal to the other node, which may still match a whole node
                    // later.
                    let (oneKey, twoKey) = (one.keys[0], two.keys[0])
                    if !Key._precedes(twoKey, oneKey) { old.descend() }
                    if !Key._precedes(oneKey, twoKey) { new.descend() }
                }
            case (.below(let node), .element(let leaf, let slot)):
                if old.isAhead(of: leaf.keys[slot]) {
                    try body(.inserted(leaf.keys[slot], leaf.values[slot]))
                    new.advance()
                } else if new.ascend(to: node) {
                    continue
                } else {
                    old.descend()
                }
            case (.element(let leaf, let slot), .below(let node)):
                if new.isAhead(of: leaf.keys[slot]) {
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
        try rest(of: &old, &new, body)
    }

    /// Reports the remaining elements, when only one of the trees has any.
    @inlinable
    static func rest<Failure: Error>(
        of old: inout Walk,
        _ new: inout Walk,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
        while let (key, value) = old.nextElement() { try body(.removed(key, value)) }
        while let (key, value) = new.nextElement() { try body(.inserted(key, value)) }
    }

    /// A traversal of a tree that enters a node only when necessary.
    @frozen
    @usableFromInline
    struct Walk {
        @frozen
        @usableFromInline
        enum Item {
            /// All elements below a node.
            case below(Node)
            /// An element of a leaf.
            case element(Node, Int)
        }

        /// The node that was entered last, or nil at the end of the tree.
        @usableFromInline var node: Node?
        /// The current slot of `node`.
        @usableFromInline var slot = 0
        /// The nodes above `node`, from the root down.
        @usableFromInline var parents: ContiguousArray<Node> = []
        /// The current slots of `parents`.
        @usableFromInline var slots: ContiguousArray<Int> = []

        @inlinable
        init(_ root: Node?) {
            node = root
        }

        @inlinable var item: Item? {
            guard let node else { return nil }
            return node.isLeaf ? .element(node, slot) : .below(node.children[slot])
        }

        /// Returns whether a key precedes all keys of the current item.
        @inlinable
        func isAhead(of key: Key) -> Bool {
            guard let node else { return false }
            return Key._precedes(key, node.keys[slot])
        }

        @inlinable
        mutating func descend() {
            guard let node, !node.isLeaf else { return }
            parents.append(node)
            slots.append(slot)
            self.node = node.children[slot]
            slot = 0
        }

        /// Leaves `other` again, if this walk has entered that node and is still at its first element. `other` is then
        /// the current item, and can be compared as a whole.
        ///
        /// - Returns: Whether the walk has moved.
        @inlinable
        mutating func ascend(to other: Node) -> Bool {
            var level = parents.count
            var present = node
            var presentSlot = slot
            while level > 0, presentSlot == 0 {
                level -= 1
                if present === other {
                    node = parents[level]
                    slot = slots[level]
                    parents.removeSubrange(level...)
                    slots.removeSubrange(level...)
                    return true
                }
                present = parents[level]
                presentSlot = slots[level]
            }
            return false
        }

        @inlinable
        mutating func advance() {
            slot += 1
            while let node, slot == node.keys.count {
                self.node = parents.popLast()
                slot = (slots.popLast() ?? 0) + 1
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

extension SharedTree.Node {
    /// Returns whether two nodes have the same keys because one was copied from the other and no key was added or
    /// removed since. Equal slots then cover the same range. The comparison reads no key.
    @inlinable
    func hasKeys(of other: SharedTree.Node) -> Bool {
        guard height == other.height, keys.count == other.keys.count else { return false }
        return keys.withUnsafeBufferPointer { keys in
            other.keys.withUnsafeBufferPointer { keys.baseAddress == $0.baseAddress }
        }
    }

    /// Returns whether two nodes with the same keys share a slot: the same child, or a value with the same bits.
    @inlinable
    func shares(_ slot: Int, with other: SharedTree.Node) -> Bool {
        guard isLeaf else { return children[slot] === other.children[slot] }
        let start = slot * MemoryLayout<Value>.stride
        let bytes = start..<start + MemoryLayout<Value>.size
        return values.withUnsafeBytes { values in
            other.values.withUnsafeBytes { others in
                UnsafeRawBufferPointer(rebasing: values[bytes])
                    .hasSameBits(as: UnsafeRawBufferPointer(rebasing: others[bytes]))
            }
        }
    }
}
