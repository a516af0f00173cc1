/// A sorted map whose copies share what they have in common: the storage of ``StateDictionary`` and ``StateList``.
///
/// A B+ tree with counts. A copy takes the root along; the first change of the one or the other then copies the nodes
/// on the way to one leaf, and no other. What two copies do not share is found without looking at what they do:
/// ``differences(from:_:)``.
@frozen
@usableFromInline
struct SharedTree<Key: _TreeKey, Value> {
    /// Nil for an empty tree.
    @usableFromInline var root: Node?

    @inlinable
    init() {}

    @inlinable var count: Int { root?.count ?? 0 }

    /// A leaf with elements, or an inner node with children.
    @usableFromInline
    final class Node {
        /// A copied node costs a retain for each slot, and a taller tree a step for each level: of 100,000 elements one
        /// with 20 has four, as with 32, and one with 16 has five. With either a change of one of them took 3 % longer
        /// (`latticectl bench state --only keyed`).
        @inlinable static var maximumSlots: Int { 20 }
        /// Below, a node is joined with its neighbour.
        @inlinable static var minimumSlots: Int { 6 }

        // The arrays are unchecked: checks of exclusive access at run time took 14 % of such a change.

        /// Of a leaf the keys of its values. Of an inner node for each child a key that none below it precedes.
        @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Key>
        /// Of a leaf only.
        @exclusivity(unchecked) @usableFromInline var values: ContiguousArray<Value>
        /// Of an inner node only.
        @exclusivity(unchecked) @usableFromInline var children: ContiguousArray<Node>
        /// Levels below.
        @usableFromInline let height: Int
        /// Values here and below.
        @usableFromInline var count: Int

        @inlinable
        init(keys: ContiguousArray<Key>, values: ContiguousArray<Value>) {
            self.keys = keys
            self.values = values
            children = []
            height = 0
            count = keys.count
        }

        @inlinable
        init(keys: ContiguousArray<Key>, children: ContiguousArray<Node>, height: Int) {
            self.keys = keys
            values = []
            self.children = children
            self.height = height
            count = children.reduce(0) { $0 + $1.count }
        }

        @inlinable
        init(copying node: Node) {
            keys = node.keys
            values = node.values
            children = node.children
            height = node.height
            count = node.count
        }

        @inlinable var isLeaf: Bool { height == 0 }

        /// The first slot whose key does not precede this one.
        @inlinable
        func slot(notBefore key: Key) -> Int {
            var low = 0
            var high = keys.count
            while low < high {
                let middle = (low + high) / 2
                if Key._precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// The slot of the key in a leaf.
        @inlinable
        func slot(of key: Key) -> Int? {
            let slot = slot(notBefore: key)
            return slot < keys.count && !Key._precedes(key, keys[slot]) ? slot : nil
        }

        /// The child that has the key, or would.
        @inlinable
        func child(for key: Key) -> Int {
            let slot = slot(notBefore: key)
            if slot < keys.count, !Key._precedes(key, keys[slot]) { return slot }
            return Swift.max(slot - 1, 0)
        }
    }
}

// Unchecked: a node is changed only by who has the one reference to it.
extension SharedTree: @unchecked Sendable where Value: Sendable {}

/// What a ``SharedTree`` is sorted by.
public protocol _TreeKey: Sendable {
    /// A strict order in which any two different keys have one.
    static func _precedes(_ first: Self, _ second: Self) -> Bool
}

// MARK: Reading

extension SharedTree {
    /// - Complexity: O(log *n*).
    @inlinable
    subscript(key: Key) -> Value? {
        guard var node = root else { return nil }
        while !node.isLeaf { node = node.children[node.child(for: key)] }
        return node.slot(of: key).map { node.values[$0] }
    }

    /// - Complexity: O(log *n*).
    @inlinable
    func contains(_ key: Key) -> Bool {
        guard var node = root else { return false }
        while !node.isLeaf { node = node.children[node.child(for: key)] }
        return node.slot(of: key) != nil
    }

    /// How many keys precede this one; nil if it is not there.
    /// - Complexity: O(log *n*).
    @inlinable
    func offset(of key: Key) -> Int? {
        guard var node = root else { return nil }
        var offset = 0
        while !node.isLeaf {
            let child = node.child(for: key)
            for slot in 0..<child { offset += node.children[slot].count }
            node = node.children[child]
        }
        return node.slot(of: key).map { offset + $0 }
    }

    /// The element that so many precede.
    /// - Complexity: O(log *n*).
    @inlinable
    subscript(offset offset: Int) -> (key: Key, value: Value) {
        guard var node = root, offset >= 0, offset < node.count else { preconditionFailure("Index out of range.") }
        var offset = offset
        while !node.isLeaf {
            var slot = 0
            while offset >= node.children[slot].count {
                offset -= node.children[slot].count
                slot += 1
            }
            node = node.children[slot]
        }
        return (node.keys[offset], node.values[offset])
    }
}

// MARK: Iterating

extension SharedTree: Sequence {
    @frozen
    @usableFromInline
    struct Iterator: IteratorProtocol {
        /// The way to the leaf, without it.
        @usableFromInline var path: ContiguousArray<(node: Node, next: Int)> = []
        @usableFromInline var leaf: Node?
        @usableFromInline var slot = 0

        @inlinable
        init(_ root: Node?) {
            descend(root)
        }

        @inlinable
        mutating func descend(_ node: Node?) {
            leaf = node
            slot = 0
            while let node = leaf, !node.isLeaf {
                path.append((node, 1))
                leaf = node.children[0]
            }
        }

        @inlinable
        mutating func next() -> (key: Key, value: Value)? {
            while let leaf {
                if slot < leaf.keys.count {
                    defer { slot += 1 }
                    return (leaf.keys[slot], leaf.values[slot])
                }
                nextLeaf()
            }
            return nil
        }

        @inlinable
        mutating func nextLeaf() {
            while let (node, next) = path.last {
                guard next < node.children.count else {
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next = next + 1
                return descend(node.children[next])
            }
            leaf = nil
        }
    }

    @inlinable
    func makeIterator() -> Iterator { Iterator(root) }

    @inlinable var underestimatedCount: Int { count }
}

// MARK: Building

extension SharedTree {
    /// Of elements that come in the order of their keys, each key once.
    /// - Complexity: O(*n*).
    @inlinable
    init(sorted elements: some Sequence<(key: Key, value: Value)>) {
        var builder = Builder()
        for (key, value) in elements { builder.append(key, value) }
        self = builder.finish()
    }

    /// Takes elements in the order of their keys, each key once.
    @frozen
    @usableFromInline
    struct Builder {
        /// Not quite full, so that the first changes split nothing.
        @inlinable static var filledSlots: Int { Node.maximumSlots - 2 }

        @usableFromInline var keys: ContiguousArray<Key> = []
        @usableFromInline var values: ContiguousArray<Value> = []
        @usableFromInline var leaves: ContiguousArray<Node> = []

        @inlinable
        init() {}

        /// The key that came last.
        @inlinable var lastKey: Key? { keys.last ?? leaves.last?.keys.last }

        @inlinable
        mutating func append(_ key: Key, _ value: Value) {
            if keys.count == Self.filledSlots { endLeaf() }
            if keys.isEmpty {
                keys.reserveCapacity(Node.maximumSlots)
                values.reserveCapacity(Node.maximumSlots)
            }
            keys.append(key)
            values.append(value)
        }

        @inlinable
        mutating func endLeaf() {
            guard !keys.isEmpty else { return }
            leaves.append(Node(keys: keys, values: values))
            keys = []
            values = []
        }

        @inlinable
        mutating func finish() -> SharedTree {
            endLeaf()
            var nodes = leaves
            leaves = []
            while nodes.count > 1 {
                var parents: ContiguousArray<Node> = []
                // Evenly: a node with one child could not join it with another, when that becomes small.
                let parentCount = (nodes.count + Self.filledSlots - 1) / Self.filledSlots
                for parent in 0..<parentCount {
                    let start = nodes.count * parent / parentCount
                    let children = ContiguousArray(nodes[start..<(nodes.count * (parent + 1) / parentCount)])
                    let keys = ContiguousArray(children.map { $0.keys[0] })
                    parents.append(Node(keys: keys, children: children, height: children[0].height + 1))
                }
                nodes = parents
            }
            var tree = SharedTree()
            tree.root = nodes.first
            return tree
        }
    }
}
