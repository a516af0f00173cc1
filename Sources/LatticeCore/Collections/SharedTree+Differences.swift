extension SharedTree {
    /// What one tree has to another, part by part in the order of the keys.
    @frozen
    @usableFromInline
    enum Difference {
        /// Elements that both share.
        case shared(Shared)
        /// Both have the key; whether the values differ is for the caller to say.
        case both(Key, old: Value, new: Value)
        case removed(Key, Value)
        case inserted(Key, Value)
    }

    /// Neighbours that two trees share.
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

        /// How many elements. Counted only for who asks: that looks into nodes which nobody else has to load.
        @inlinable var count: Int {
            if slots.count == node.keys.count { return node.count }
            return node.isLeaf ? slots.count : slots.reduce(0) { $0 + node.children[$1].count }
        }
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
        guard let node = root, let oldNode = old.root else {
            var (old, new) = (Walk(old.root), Walk(root))
            return try Self.rest(of: &old, &new, body)
        }
        try Self.differences(from: oldNode, to: node, body)
    }

    /// The same for two nodes that cover the same range of keys.
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

    /// The same for two whose slots are not each other's.
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
                    // What begins first has nothing of the other, which may be met again as a whole.
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

    /// What only one of the two still has.
    @inlinable
    static func rest<Failure: Error>(
        of old: inout Walk,
        _ new: inout Walk,
        _ body: (Difference) throws(Failure) -> Void
    ) throws(Failure) {
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

        /// What was gone into last, and its present slot; nil at the end.
        @usableFromInline var node: Node?
        @usableFromInline var slot = 0
        /// What is around it.
        @usableFromInline var parents: ContiguousArray<Node> = []
        @usableFromInline var slots: ContiguousArray<Int> = []

        @inlinable
        init(_ root: Node?) {
            node = root
        }

        @inlinable var item: Item? {
            guard let node else { return nil }
            return node.isLeaf ? .element(node, slot) : .below(node.children[slot])
        }

        /// Whether a key goes before all of the present item.
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

        /// Leaves what was gone into in vain, as it turns out: the node, if its first element is the present one.
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
    /// Whether the two have the same keys, because the one was copied from the other and no key has come or gone in it
    /// since: then what is in the same slot covers the same range. It looks at no key.
    @inlinable
    func hasKeys(of other: SharedTree.Node) -> Bool {
        guard height == other.height, keys.count == other.keys.count else { return false }
        return keys.withUnsafeBufferPointer { keys in
            other.keys.withUnsafeBufferPointer { keys.baseAddress == $0.baseAddress }
        }
    }

    /// Whether two with the same keys have the same here: the same child, or a value of the same bits.
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
