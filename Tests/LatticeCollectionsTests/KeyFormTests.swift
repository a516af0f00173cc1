import Testing

@testable import LatticeCollections

/// Keys that are equal in Swift and have different bytes, as the names of two files may be.
@Suite struct KeyFormTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private struct Row: Codable, Equatable, Identifiable {
        var id: String
        var number = 0
    }

    private func bytes(_ texts: some Sequence<String>) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("An update of a list visits and removes both forms of a key (F95)") func update() {
        var source: StateDictionary<String, Int> = [:]
        source[Self.composed] = 1
        source[Self.decomposed] = 2
        var list: StateList<Row> = []
        func update() {
            list.update(from: source) { id, number, row in row = Row(id: id, number: number) }
        }
        update()
        #expect(list.map(\.number) == [1, 2])
        source[Self.composed] = nil
        source[Self.decomposed] = nil
        update()
        #expect(list.isEmpty)
        source[Self.composed] = 1
        update()
        source[Self.composed] = nil
        source[Self.decomposed] = 2
        update()
        #expect(bytes(list.ids) == bytes([Self.decomposed]))
    }

    @Test("A list follows another list in which an element's ID changed its form or an element was moved (F95)")
    func updateOfList() {
        var source: StateList<Row> = [Row(id: "a"), Row(id: Self.composed, number: 1), Row(id: Self.decomposed)]
        var list: StateList<Row> = []
        func update() {
            list.update(from: source) { row, shown in shown = row }
            #expect(bytes(list.ids) == bytes(source.ids))
            #expect(list.map(\.number) == source.map(\.number))
        }
        update()
        source.move(id: Self.decomposed, to: 0)
        update()
        source.remove(id: Self.composed)
        source.remove(id: Self.decomposed)
        update()
        source.append(Row(id: Self.decomposed))
        update()
        source = StateList(source.map { Row(id: $0.id == Self.composed ? Self.composed : $0.id) })
        update()
    }

    @Test("A key or ID is found by its bytes, as in the collection (F95)") func contains() {
        let dictionary: StateDictionary = [Self.composed: 1]
        let list: StateList = [Row(id: Self.composed)]
        for (id, isThere) in [(Self.composed, true), (Self.decomposed, false)] {
            #expect(dictionary.contains(key: id) == isThere)
            #expect(dictionary.keys.contains(id) == isThere)
            #expect((dictionary.keys.firstIndex(of: id) != nil) == isThere)
            #expect(list.contains(id: id) == isThere)
            #expect(list.ids.contains(id) == isThere)
            #expect((list.ids.lastIndex(of: id) != nil) == isThere)
        }
        #expect(Array(dictionary.keys) == [Self.composed])
        #expect(Array(list.ids.reversed()) == [Self.composed])
    }

    @Test("Collections whose keys differ in form are not equal (F95)") func equality() {
        let dictionaries = [Self.composed, Self.decomposed].map { [$0: 1] as StateDictionary }
        #expect(dictionaries[0] != dictionaries[1])
        let lists = [Self.composed, Self.decomposed].map { [Row(id: $0)] as StateList }
        #expect(lists[0] != lists[1])
    }

    @Test("The ID of an element cannot change, not even in form (F95)") func preconditions() async {
        await #expect(processExitsWith: .failure) {
            var list: StateList = [Row(id: Self.composed)]
            list[0].id = Self.decomposed
        }
        await #expect(processExitsWith: .failure) {
            var list: StateList = [Row(id: Self.composed)]
            list[id: Self.composed] = Row(id: Self.decomposed)
        }
    }

    @Test("A patch turns one form into the other, in lists and in both kinds of dictionaries (F95)")
    func patches() throws {
        func check<Value: Patchable>(_ values: [Value], _ names: (Value) -> [String]) throws {
            for old in values {
                for new in values {
                    let patch = try new.patch(from: old)
                    #expect(try (patch == nil) == (encoded(old) == encoded(new)))
                    var changed = old
                    if let patch { try changed.apply(patch) }
                    #expect(try encoded(changed) == encoded(new))
                    #expect(bytes(names(changed)) == bytes(names(new)))
                }
            }
        }
        let plain = [[:], [Self.composed: 1], [Self.decomposed: 1], [Self.decomposed: 2, "a": 1]] as [[String: Int]]
        try check(plain) { $0.keys.sorted() }
        let dictionaries = plain.map { StateDictionary($0.map { ($0.key, $0.value) }) }
        try check(dictionaries + [[Self.composed: 1, Self.decomposed: 1]]) { Array($0.keys) }
        let lists = plain.map { StateList($0.sorted { $0.key < $1.key }.map { Row(id: $0.key, number: $0.value) }) }
        try check(lists + [[Row(id: Self.decomposed), Row(id: Self.composed)]]) { Array($0.ids) }
        // Two sets are two sets, and a property is a property.
        try check([[Self.composed], [Self.decomposed]] as [Set<String>]) { Array($0) }
        try check([Self.composed, Self.decomposed]) { [$0] }
    }

    @Test("A plain dictionary that cannot hold both forms refuses a patch with both, and gets the whole state (F95)")
    func bothInPlainDictionary()
        throws
    {
        let both: StateDictionary = [Self.composed: 1, Self.decomposed: 2]
        let patch = try #require(try both.patch(from: [Self.composed: 1]))
        var plain = [Self.composed: 1]
        #expect(throws: DecodingError.self) { try plain.apply(patch) }
        #expect(plain == [Self.composed: 1])
    }

    @Test("Removing a missing key removes nothing (F95)", arguments: [1, 30, 1000])
    func removingWhatIsNotThere(count: Int) {
        var tree = SharedTree<String, Int>(sorted: (0..<count).map { ("key \(10000 + $0)", $0) })
        let before = Array(tree).map(\.key)
        for key in ["key 1", "key 10000x", "key 99999", "", Self.decomposed] { tree.remove(key) }
        #expect(tree.count == count)
        #expect(Array(tree).map(\.key) == before)
        tree.remove("key 10000")
        #expect(tree.count == count - 1)
        var empty = SharedTree<String, Int>()
        empty.remove("a")
        #expect(empty.count == 0)
    }
}
