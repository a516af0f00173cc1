import LatticeCoding
import LatticeCore
import LatticeWire
import Testing

/// A change that is nested more deeply than a patch can be.
@Suite struct DeepPatchTests {
    /// A struct that has others of its type inside.
    private struct Node: Patchable {
        var number = 0
        var text = ""
        var children: [Node] = []

        /// Creates a chain of this many nodes.
        init(depth: Int, number: Int, text: String = "") {
            self.number = number
            self.text = text
            if depth > 1 { children = [Node(depth: depth - 1, number: number, text: text)] }
        }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("number", from: old.number, to: number)
            try patch.field("text", from: old.text, to: text)
            try patch.field("children", from: old.children, to: children)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "number": try patch.apply(to: &number)
                case "text": try patch.apply(to: &text)
                case "children": try patch.apply(to: &children)
                default: throw patch.unknownField(name)
                }
            }
        }

        /// Changes the one at the end of the chain.
        mutating func changeLast(_ change: (inout Node) -> Void) {
            if children.isEmpty { change(&self) } else { children[0].changeLast(change) }
        }
    }

    /// The same, with a dictionary of optional ones.
    private indirect enum Tree: Patchable {
        case leaf(Int)
        case branch([String: Tree?])

        init(depth: Int, number: Int) {
            self = depth > 1 ? .branch(["a": Tree(depth: depth - 1, number: number), "b": nil]) : .leaf(number)
        }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            switch (old, self) {
            case (.leaf(let old), .leaf(let new)):
                try patch.payload(of: "leaf") { try $0.field("_0", from: old, to: new) }
            case (.branch(let old), .branch(let new)):
                try patch.payload(of: "branch") { try $0.field("_0", from: old, to: new) }
            default: try patch.set(self)
            }
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch (name, self) {
                case ("leaf", .leaf(var number)):
                    try patch.payload { _, patch in try patch.apply(to: &number) }
                    self = .leaf(number)
                case ("branch", .branch(var children)):
                    try patch.payload { _, patch in try patch.apply(to: &children) }
                    self = .branch(children)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    private func check<Value: Patchable>(from old: Value, to new: Value) throws {
        let (oldBytes, newBytes) = try (CBOREncoder().encode(old), CBOREncoder().encode(new))
        let patch = try #require(try new.patch(from: old))
        var changed = old
        try changed.apply(patch)
        #expect(changed == new)
        let change = StateChange(patch.bytes)
        #expect(try change.apply(to: oldBytes, maximum: .max) == newBytes)
        // Folded with the way back, and as a whole before.
        let back = StateChange(try #require(try old.patch(from: new)).bytes)
        #expect(try change.folded(with: back).apply(to: oldBytes, maximum: .max) == oldBytes)
    }

    @Test("A value of any depth that can be encoded can be patched (F96)", arguments: 1...62)
    func depths(depth: Int) throws {
        let old = Node(depth: depth, number: 1)
        var new = old
        new.changeLast { $0.number = 2 }
        try check(from: old, to: new)
        new.changeLast { $0.children = [] }
        new.number = 7
        try check(from: old, to: new)
        try check(from: Node(depth: depth, number: 1), to: Node(depth: depth, number: 2))
        if depth > 1 { try check(from: old, to: Node(depth: depth - 1, number: 1)) }
        // Equal values that were created separately.
        let text = String(repeating: "text", count: 9)
        #expect(
            try Node(depth: depth, number: 1, text: text).patch(from: Node(depth: depth, number: 1, text: text)) == nil
        )
    }

    @Test("Nested payloads, dictionaries and optionals of any depth can be patched (F96)", arguments: 1...40)
    func trees(depth: Int) throws {
        try check(from: Tree(depth: depth, number: 1), to: Tree(depth: depth, number: 2))
        try check(from: Tree(depth: depth, number: 1), to: Tree(depth: depth + 1, number: 1))
    }

    @Test("A part that is not nested too deeply is sent by itself (F96)") func besidesIsSmall() throws {
        var old = Node(depth: 62, number: 1)
        old.children.append(Node(depth: 1, number: 1, text: String(repeating: "x", count: 5000)))
        var new = old
        new.children[0].changeLast { $0.number = 2 }
        let patch = try #require(try new.patch(from: old))
        #expect(patch.bytes.count < 2500)
        try check(from: old, to: new)
    }

    @Test("A value deeper than the limit of encoding is an error") func tooDeep() throws {
        let old = Node(depth: 64, number: 1)
        let new = Node(depth: 65, number: 1)
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(new) }
        #expect(throws: EncodingError.self) { try new.patch(from: old) }
    }
}
