import LatticeCollections
import Testing

@testable import LatticeCore

/// Keys of elements that are equal in Swift and have different bytes, as the names of two files may be.
@Suite struct ElementKeyFormTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private struct Row: Identifiable {
        var id: String
        var number = 0
    }

    @Test("Each form has its own interactor, and an action reaches the element that it names (F95)") func forEach() {
        struct Root: Sendable {
            var table: StateDictionary<String, Int> = [
                ElementKeyFormTests.composed: 0, ElementKeyFormTests.decomposed: 0,
            ]
            var plain = [ElementKeyFormTests.composed: 0]
        }
        var root = Root()
        func trees<Elements: KeyedElements & Sendable>(
            _ path: any WritableKeyPath<Root, Elements> & Sendable
        ) -> ElementTrees<Root, String, Int, Int> where Elements.Key == String, Elements.Value == Int {
            ElementTrees(ElementsPath(path), endsEffects: true) {
                var calls = 0
                return _ResolvedInteractor { state, _ in
                    calls += 1
                    state += calls
                    return .none
                }
            }
        }
        let table = trees(\.table)
        for id in [Self.composed, Self.decomposed, Self.decomposed] { #expect(table.interact(&root, id, 0) != nil) }
        #expect(table.count == 2)
        #expect(root.table[Self.composed] == 1)
        #expect(root.table[Self.decomposed] == 3)
        let plain = trees(\.plain)
        #expect(plain.interact(&root, Self.decomposed, 0) == nil)
        #expect(plain.interact(&root, Self.composed, 0) != nil)
        #expect(root.plain == [Self.composed: 1])
    }

    @Test("An element of an array is found by the bytes of its ID (F95)") func elementsOfArrays() {
        var rows = [Row(id: Self.composed, number: 1), Row(id: Self.decomposed, number: 2)]
        #expect(rows._element(under: Self.decomposed)?.number == 2)
        let isThere = rows._changeElement(under: Self.decomposed) { $0.number = 3 }
        #expect(isThere)
        #expect(rows.map(\.number) == [1, 3])
        rows.removeLast()
        #expect(rows._element(under: Self.decomposed) == nil)
        let isFound = rows._changeElement(under: Self.decomposed) { $0.number = 4 }
        #expect(!isFound)
        #expect(rows.map(\.number) == [1])
    }
}
