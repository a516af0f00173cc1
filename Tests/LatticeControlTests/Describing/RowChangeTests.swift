import LatticeWire
import Testing

@testable import LatticeControl

/// The changes from one page of a subscription to the next.
struct RowChangeTests {
    private func page(_ rows: [[String: DescriptionValue]]) -> SectionDescription {
        SectionDescription(section: "x", rows: rows, total: rows.count, keys: ["name"])
    }

    @Test("Rows that are gone come first, then new and changed ones, and those that became older are left out")
    func changes() {
        let old = page([
            ["name": "a", "x": 1], ["name": "b", "sinceMilliseconds": 5], ["name": "c", "x": 3],
        ])
        let new = page([
            ["name": "d"], ["name": "b", "sinceMilliseconds": 1005], ["name": "a", "x": 2, "y": [true]],
        ])
        let changes = RowChange.changes(from: old, to: new)
        #expect(
            changes == [
                .gone(["name": "c", "x": 3]), .new(["name": "d"]),
                .changed(from: ["name": "a", "x": 1], to: ["name": "a", "x": 2, "y": [true]]),
            ]
        )
        #expect(
            changes.map { $0.lines(keys: new.keys) } == [
                ["gone c"], ["new d"], ["changed a", "  x: 1 → 2", "  y added: [true]"],
            ]
        )
        #expect(changes.map(\.json)[1] == #"{"change":"new","row":{"name":"d"}}"#)
        #expect(RowChange.changes(from: new, to: new).isEmpty)
    }

    @Test("The only row of a section without keys changes, and is not another one")
    func withoutKeys() {
        let pages = [1, 2].map { SectionDescription(section: "x", rows: [["x": .init($0)]], total: 1) }
        #expect(RowChange.changes(from: pages[0], to: pages[1]) == [.changed(from: ["x": 1], to: ["x": 2])])
    }

    @Test("Of several rows without keys, one that differs is gone and another one is new")
    func severalWithoutKeys() {
        func rows(_ values: [Int], age: Int) -> SectionDescription {
            let rows = values.map { value -> [String: DescriptionValue] in
                ["x": .init(value), "sinceMilliseconds": .init(age)]
            }
            return SectionDescription(section: "x", rows: rows, total: rows.count)
        }
        let old = rows([1, 2], age: 5)
        #expect(RowChange.changes(from: old, to: rows([1, 2], age: 1005)).isEmpty)
        let changes = RowChange.changes(from: old, to: rows([1, 3], age: 1005))
        #expect(changes == [.gone(["x": 2, "sinceMilliseconds": 5]), .new(["x": 3, "sinceMilliseconds": 1005])])
        #expect(
            changes.map { $0.lines(keys: []) } == [
                [#"gone {"sinceMilliseconds":5,"x":2}"#], [#"new {"sinceMilliseconds":1005,"x":3}"#],
            ]
        )
    }
}
