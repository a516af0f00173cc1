/// A sorted map whose copies share their common parts. It is the storage of ``StateDictionary`` and ``StateList``.
///
/// The tree is a B+ tree with counts. A copy shares the root. The first change to either copy then copies only the
/// nodes on the path to one leaf. ``differences(from:_:)`` finds what two copies do not share without looking at what
/// they do share.
@frozen
@usableFromInline
struct SharedTree<Key: _TreeKey, Value> {
    /// The root node, or nil if the tree is empty.
    @usableFromInline var root: Node?

    @inlinable
    init() {}

    @inlinable var count: Int { root?.count ?? 0 }

    /// A leaf with elements, or an inner node with children.
    @usableFromInline
    final class Node {
        /// The maximum number of slots of a node.
        ///
        /// Copying a node costs a retain for each slot, and a taller tree costs a step for each level. With 20 or 32
        /// slots a tree of 100,000 elements has four levels, and with 16 it has five. Both 16 and 32 made a change of
        /// one element 3 % slower (`lattice-bench state --only keyed`).
        @inlinable static var maximumSlots: Int { 20 }
        /// The minimum number of slots of a node. A node with fewer slots is merged with its neighbour.
        @inlinable static var minimumSlots: Int { 6 }

        // The arrays are not checked for exclusive access: the checks took 14 % of such a change.

        /// In a leaf, the keys of its values. In an inner node, a lower bound of the keys below each child.
        @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Key>
        /// The values of a leaf. An inner node has none.
        @exclusivity(unchecked) @usableFromInline var values: ContiguousArray<Value>
        /// The children of an inner node. A leaf has none.
        @exclusivity(unchecked) @usableFromInline var children: ContiguousArray<Node>
        /// The number of levels below this node.
        @usableFromInline let height: Int
        /// The number of values in this node and below.
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

        /// Returns the first slot whose key does not precede `key`.
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

        /// Returns the slot of a key in a leaf.
        @inlinable
        func slot(of key: Key) -> Int? {
            let slot = slot(notBefore: key)
            return slot < keys.count && !Key._precedes(key, keys[slot]) ? slot : nil
        }

        /// Returns the slot of the child that contains the key, or would contain it.
        @inlinable
        func child(for key: Key) -> Int {
            let slot = slot(notBefore: key)
            if slot < keys.count, !Key._precedes(key, keys[slot]) { return slot }
            return Swift.max(slot - 1, 0)
        }
    }
}

// Unchecked because a node is changed only by the owner of the single reference to it.
extension SharedTree: @unchecked Sendable where Value: Sendable {}

/// A key by which a `SharedTree` is sorted.
public protocol _TreeKey: Sendable {
    /// Returns whether one key precedes another, in a strict total order.
    static func _precedes(_ first: Self, _ second: Self) -> Bool
}

// MARK: Reading

extension SharedTree {
    /// The value of a key, or nil if the key does not exist.
    /// - Complexity: O(log *n*).
    @inlinable
    subscript(key: Key) -> Value? {
        guard var node = root else { return nil }
        while !node.isLeaf { node = node.children[node.child(for: key)] }
        return node.slot(of: key).map { node.values[$0] }
    }

    /// Returns whether a key exists.
    /// - Complexity: O(log *n*).
    @inlinable
    func contains(_ key: Key) -> Bool {
        guard var node = root else { return false }
        while !node.isLeaf { node = node.children[node.child(for: key)] }
        return node.slot(of: key) != nil
    }

    /// Returns the number of keys that precede a key, or nil if the key does not exist.
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

    /// The element at an offset, which is the number of elements before it.
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
        /// The inner nodes on the path to the current leaf, and the next child of each.
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
    /// Creates a tree from elements in the order of their keys, with each key once.
    /// - Complexity: O(*n*).
    @inlinable
    init(sorted elements: some Sequence<(key: Key, value: Value)>) {
        var builder = Builder()
        for (key, value) in elements { builder.append(key, value) }
        self = builder.finish()
    }

    /// Builds a tree from elements in the order of their keys, with each key once.
    @frozen
    @usableFromInline
    struct Builder {
        /// The number of slots that are filled. Nodes are not quite full, so that the first changes split none.
        @inlinable static var filledSlots: Int { Node.maximumSlots - 2 }

        @usableFromInline var keys: ContiguousArray<Key> = []
        @usableFromInline var values: ContiguousArray<Value> = []
        @usableFromInline var leaves: ContiguousArray<Node> = []

        @inlinable
        init() {}

        /// The key of the last element.
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
                // The nodes are distributed evenly, because a node with a single child could not merge it with another
                // one.
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
