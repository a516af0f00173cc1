import ByteTestSupport
import LatticeCollections
import LatticeCore
import Testing

@Suite struct PatchTests {
    @Test(
        "The patch from one value to another turns the one into the other",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64]
    )
    func law(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var values = [Archive()]
        for _ in 0..<120 {
            var next = values[values.count - 1]
            for _ in 0..<Int.random(in: 0..<6, using: &generator) { next.change(&generator) }
            values.append(next)
        }
        for (old, new) in zip(values, values.dropFirst()) { try check(old, new) }
        for _ in 0..<60 {
            try check(
                values.randomElement(using: &generator) ?? Archive(),
                values.randomElement(using: &generator) ?? Archive()
            )
        }
        // Composed: all patches in a row, on a value that came over the wire and shares nothing.
        var copy = try decoded(Archive.self, encoded(values[0]))
        for (old, new) in zip(values, values.dropFirst()) {
            if let patch = try new.patch(from: old) { try copy.apply(patch) }
            #expect(copy == new)
        }
        // Unrelated: equal to the one before, and made in another way.
        for (old, new) in zip(values, values.dropFirst(7)) {
            try check(try decoded(Archive.self, encoded(old)), new)
        }
    }

    private func check(_ old: Archive, _ new: Archive) throws {
        let patch = try new.patch(from: old)
        #expect((patch == nil) == (old == new))
        guard let patch else { return }
        var changed = old
        try changed.apply(patch)
        #expect(changed == new)
        #expect(try encoded(changed) == encoded(new))
    }

    @Test("A patch is as small as its change", arguments: [1000, Repetitions.count(100_000)])
    func bytes(count: Int) throws {
        var archive = Archive()
        archive.files = StateDictionary((0..<count).map { ("file \($0)", File(size: $0)) })
        archive.cards = StateList((0..<count).map { Card(id: $0, title: "card \($0)") })
        let old = archive
        archive.files["file 77"]?.size += 1
        let file = try #require(try archive.patch(from: old))
        #expect(file.bytes.count < 40)
        archive = old
        archive.cards.move(id: count / 2, to: 3)
        let card = try #require(try archive.patch(from: old))
        #expect(card.bytes.count < 60)
    }

    @Test("Patches can be read without the types") func form() throws {
        func text(_ old: Archive, _ new: Archive) throws -> String {
            try #require(try new.patch(from: old)).bytes.map(hex).joined()
        }
        var old = Archive()
        old.files = ["a": File(size: 1), "b": File(size: 2)]
        var new = old
        new.files["a"]?.size = 5
        new.files["b"] = nil
        // [1, {"files": [1, {"a": [1, {"size": [0, 5]}], "b": null}]}]
        #expect(try text(old, new) == "8201a16566696c65738201a261618201a16473697a6582000561 62f6".filter { $0 != " " })
        new = old
        new.note = "x"
        #expect(try text(old, new) == "8201a1646e6f746582006178")
        #expect(try text(new, old) == "8201a1646e6f7465f6")
        new = old
        new.pinned = Card(id: 1)
        #expect(try text(new, old) == "8201a16670696e6e6564f6")
        old.cards = [Card(id: 1, title: "a"), Card(id: 2, title: "b")]
        new = old
        new.cards.move(id: 2, to: 0)
        // [1, {"cards": [2, [[0, 1, 1], [0, 0, 1]]]}]
        #expect(try text(old, new) == "8201a16563617264738202828300010183000001")
        old.numbers = [1, 2, 3]
        new = old
        new.numbers[1] = 7
        #expect(try text(old, new) == "8201a1676e756d6265727382028383000001830201820007830002 01".filter { $0 != " " })
    }

    private func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    @Test(
        "A patch that does not fit is an error and changes nothing",
        arguments: [
            ([0x82, 0x01, 0xa1, 0x61, 0x7a, 0x82, 0x00, 0x01], #"there is no field "z""#),
            ([0x82, 0x02, 0x80], "expected a change of fields"),
            ([0x82, 0x00], "The head at byte 0 announces 2 elements; the 1 byte left cannot hold them."),
            ([], "The value at byte 0 needs 1 more byte; 0 are left."),
        ] as [([UInt8], String)]
    )
    func mismatch(bytes: [UInt8], sentence: String) throws {
        var archive = Archive()
        archive.note = "stays"
        let before = archive
        let error = #expect(throws: DecodingError.self) { try archive.apply(Patch(bytes: bytes)) }
        #expect(archive == before)
        if case .dataCorrupted(let context)? = error { #expect(context.debugDescription.hasSuffix(sentence)) }
    }

    @Test("A patch uses an old element once and has ascending keys, as for changes of bytes")
    func order() throws {
        func refuse<Value: Patchable>(_ value: Value, _ bytes: [UInt8], _ sentence: String) {
            var value = value
            let error = #expect(throws: DecodingError.self) { try value.apply(Patch(bytes: bytes)) }
            guard case .dataCorrupted(let context)? = error else { return }
            #expect(context.debugDescription.hasSuffix(sentence))
        }
        refuse([1, 2], [0x82, 2, 0x82, 0x83, 0, 0, 1, 0x83, 0, 0, 1], "an old element is used twice")
        let twice: [UInt8] = [0x82, 2, 0x83, 0x83, 0, 2, 1, 0x83, 0, 0, 1, 0x83, 0, 0, 1]
        refuse([1, 2, 3], twice, "an old element is used twice")
        var turned = [1, 2, 3]
        try turned.apply(Patch(bytes: [0x82, 2, 0x83, 0x83, 0, 2, 1, 0x83, 0, 0, 1, 0x83, 0, 1, 1]))
        #expect(turned == [3, 1, 2])
        let keys: [UInt8] = [0x82, 1, 0xa2, 0x61, 0x62, 0x82, 0, 1, 0x61, 0x61, 0x82, 0, 2]
        refuse(["a": 1] as StateDictionary, keys, #"the key "a" comes after "b", but keys must be in ascending order"#)
    }

    @Test("A value that cannot be encoded is named with its place") func unencodable() {
        var old = Archive()
        old.files["a"] = File(size: 1)
        var new = old
        new.files["a"]?.damage = Damage()
        let error = #expect(throws: (any Error).self) { try new.patch(from: old) }
        #expect(error.map { "\($0)" } == "at files.a.damage: it has no bytes")
    }

    @Test("No input traps", arguments: [1, 2, 3] as [UInt64]) func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var old = Archive()
        for _ in 0..<60 { old.change(&generator) }
        var new = old
        for _ in 0..<20 { new.change(&generator) }
        let bytes = try #require(try new.patch(from: old)).bytes
        for end in bytes.indices {
            var archive = old
            #expect(throws: DecodingError.self) { try archive.apply(Patch(bytes: Array(bytes[..<end]))) }
        }
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            var archive = old
            try? archive.apply(Patch(bytes: changed))
        }
    }
}

// MARK: Subjects

private struct Archive: Patchable {
    var note: String?
    var files: StateDictionary<String, File> = [:]
    var cards: StateList<Card> = []
    var numbers: [Int] = []
    var plain: [Card] = []
    var names: [String: File] = [:]
    var tags: Set<String> = []
    var maybe: File?
    var pinned: Card?
    var nested: [Int: [String?]] = [:]

    func encodePatch(from old: Archive, to patch: inout PatchEncoder) throws {
        try patch.field("note", from: old.note, to: note)
        try patch.field("files", from: old.files, to: files)
        try patch.field("cards", from: old.cards, to: cards)
        try patch.field("numbers", from: old.numbers, to: numbers)
        try patch.field("plain", from: old.plain, to: plain)
        try patch.field("names", from: old.names, to: names)
        try patch.field("tags", from: old.tags, to: tags)
        try patch.field("maybe", from: old.maybe, to: maybe)
        try patch.field("pinned", from: old.pinned, to: pinned)
        try patch.field("nested", from: old.nested, to: nested)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "note": try patch.apply(to: &note)
            case "files": try patch.apply(to: &files)
            case "cards": try patch.apply(to: &cards)
            case "numbers": try patch.apply(to: &numbers)
            case "plain": try patch.apply(to: &plain)
            case "names": try patch.apply(to: &names)
            case "tags": try patch.apply(to: &tags)
            case "maybe": try patch.apply(to: &maybe)
            case "pinned": try patch.apply(to: &pinned)
            case "nested": try patch.apply(to: &nested)
            default: throw patch.unknownField(name)
            }
        }
    }

    mutating func change(_ generator: inout SeededGenerator) {
        let number = Int.random(in: 0..<60, using: &generator)
        switch Int.random(in: 0..<19, using: &generator) {
        case 0: note = number % 3 == 0 ? nil : "\(number)"
        case 1, 2: files["\(number)"] = File(size: number)
        case 3: files["\(number)"] = nil
        case 4: files["\(number)"]?.words["w", default: 0] += 1
        case 5: cards.insert(Card(id: Int.random(in: 0..<999, using: &generator)), at: min(number, cards.count))
        case 6: if number < cards.count { cards.remove(at: number) }
        case 7: if number < cards.count { cards[number].title += "\(number)" }
        case 8: if let id = cards.first?.id { cards.move(id: id, to: number % cards.count) }
        case 9: numbers.insert(number, at: number % (numbers.count + 1))
        case 10: if !numbers.isEmpty { numbers[number % numbers.count] += 1 }
        case 11: if !numbers.isEmpty { numbers.remove(at: number % numbers.count) }
        case 12: plain.append(Card(id: number))
        case 13: if !plain.isEmpty { plain[number % plain.count].title = "\(number)" }
        case 14: names["\(number % 7)"] = number % 3 == 0 ? nil : File(size: number)
        case 15: tags.formSymmetricDifference(["\(number % 9)"])
        case 16: maybe = number % 3 == 0 ? nil : File(size: number % 5)
        case 17: pinned = number % 3 == 0 ? nil : Card(id: number)
        default: nested[number % 4, default: []].append(number % 2 == 0 ? nil : "\(number)")
        }
    }
}

private struct File: Patchable {
    var size: Int
    var words: StateDictionary<String, Int> = [:]
    var damage: Damage?

    init(size: Int) {
        self.size = size
    }

    func encodePatch(from old: File, to patch: inout PatchEncoder) throws {
        try patch.field("size", from: old.size, to: size)
        try patch.field("words", from: old.words, to: words)
        try patch.field("damage", from: old.damage, to: damage)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "size": try patch.apply(to: &size)
            case "words": try patch.apply(to: &words)
            case "damage": try patch.apply(to: &damage)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// Changed as a whole.
private struct Card: Codable, Equatable, Identifiable {
    let id: Int
    var title = ""
}

/// Cannot be encoded.
private struct Damage: Codable, Equatable {
    struct Failure: Error, CustomStringConvertible {
        var description: String { "it has no bytes" }
    }

    func encode(to encoder: any Encoder) throws { throw Failure() }
}
