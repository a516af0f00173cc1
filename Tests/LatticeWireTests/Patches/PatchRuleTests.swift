import LatticeCoding
import LatticeCore
import LatticeWire
import Testing

/// Tests that a patch follows the encoded bytes, so that all clients see the same value, whenever they joined.
@Suite struct PatchRuleTests {
    /// `==` leaves out a part.
    private struct Loose: Codable, Hashable, Identifiable {
        var id = 1
        var note = ""

        static func == (one: Self, other: Self) -> Bool { one.id == other.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// The same, sent part by part.
    private struct LoosePart: Patchable, Identifiable {
        var id = 1
        var note = ""

        static func == (one: Self, other: Self) -> Bool { one.id == other.id }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("id", from: old.id, to: id)
            try patch.field("note", from: old.note, to: note)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "id": try patch.apply(to: &id)
                case "note": try patch.apply(to: &note)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    /// A value with one property of any type.
    private struct Property<Value: Codable & Equatable>: Patchable {
        var value: Value

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("value", from: old.value, to: value)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { _, patch in try patch.apply(to: &value) }
        }
    }

    /// A wrapper with an optional value.
    private struct Missing<Value: Codable & Equatable>: Patchable {
        var value: Value?

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("value", from: old.value, to: value)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { _, patch in try patch.apply(to: &value) }
        }
    }

    /// Checks that decoding the whole state, applying the patch to the value and applying it to the bytes give the same
    /// value. There must be a patch if the bytes differ.
    private func check<Value: Patchable>(_ values: [Value]) throws {
        for old in values {
            for new in values {
                let (oldBytes, newBytes) = try (CBOREncoder().encode(old), CBOREncoder().encode(new))
                let whole = try CBORDecoder().decode(Value.self, from: newBytes)
                guard let patch = try new.patch(from: old) else {
                    #expect(oldBytes == newBytes)
                    continue
                }
                // As a client has it, which has decoded the one before.
                var changed = try CBORDecoder().decode(Value.self, from: oldBytes)
                try changed.apply(patch)
                #expect("\(changed)" == "\(whole)", "from \(old) to \(new)")
                #expect(try CBOREncoder().encode(changed) == CBOREncoder().encode(whole))
                #expect(try StateChange(patch.bytes).apply(to: oldBytes, maximum: .max) == newBytes)
            }
        }
    }

    private func checkEverywhere<Value: Codable & Equatable>(_ values: [Value]) throws {
        try check(values.map { Property(value: $0) })
        try check([Missing(value: nil)] + values.map { Missing(value: $0) })
        try check(values.map { Property(value: [$0]) } + [Property(value: values)])
        try check(values.map { Property(value: [nil, $0]) })
        try check(values.map { Property(value: ["a": $0]) } + [Property(value: [:])])
        try check(values.map { Property(value: [1: $0]) })
        try check(values.map { Property(value: ["a": $0] as StateDictionary) })
        try check(values.map { Property(value: ["a": ["b": $0]] as StateDictionary) })
    }

    @Test("A part that == leaves out is sent when it changes") func parts() throws {
        let notes = ["", "short", "a text that is longer than fifteen bytes"]
        try checkEverywhere(notes.map { Loose(note: $0) })
        try checkEverywhere(notes.map { LoosePart(note: $0) })
        try check(notes.map { Property(value: [Loose(note: $0)] as StateList) })
        try check(notes.map { Property(value: [LoosePart(note: $0), LoosePart(id: 2)] as StateList) })
        try check(notes.map { Property(value: [Loose(note: $0)] as Set) })
        try check(notes.map { Property(value: [Loose(note: $0): 1]) })
    }

    @Test("A zero that changes its sign is sent") func zeros() throws {
        try checkEverywhere([0.0, -0.0, 1])
        try checkEverywhere([0.0, -0.0, 1] as [Float])
    }

    @Test("A text in another normal form is sent") func forms() throws {
        try checkEverywhere(["caf\u{E9}", "cafe\u{301}", "cafe"])
    }

    @Test("Nested optionals keep their value, whichever state they come from") func optionals() throws {
        try checkEverywhere([.none, .some(.none), 5, 6] as [Int??])
        try checkEverywhere([.none, .some(.none), Loose(note: "a"), Loose(note: "b")] as [Loose??])
        try checkEverywhere([.none, .some(.none), .some(.some(.none)), LoosePart(note: "a")] as [LoosePart???])
    }

    @Test("A new value with the same bytes is not sent") func sameBytes() throws {
        func text() -> String { String(repeating: "word ", count: 10) }
        func rows() -> [Loose] { (0..<3).map { Loose(id: $0, note: text()) } }
        func expectSame<Value: Patchable>(_ make: () -> Value) throws { #expect(try make().patch(from: make()) == nil) }
        try expectSame(text)
        try expectSame(rows)
        try expectSame { [text(): rows()] }
        try expectSame { Set([text(), "b"]) }
        try expectSame { Property(value: [text(), nil]) }
        try expectSame { rows().map { LoosePart(id: $0.id, note: $0.note) } }
        try expectSame { StateList(rows()) }
        try expectSame { [1: .some(rows()), 2: nil] as [Int: [Loose]?] }
        try expectSame { Property(value: Missing(value: Missing(value: text()))) }
    }
}
