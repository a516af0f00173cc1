import LatticeCollections
import LatticeCore
import Testing

@Suite struct StateListUpdateTests {
    private struct Shown: Identifiable, Equatable {
        let id: Int
        var text: String
    }

    @Test("An update follows a list, whatever is filtered, moved and changed", arguments: [1, 2, 3, 4] as [UInt64])
    func list(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var source = StateList((0..<200).map { ListElement(id: $0, text: "\($0)") })
        var target: StateList<Shown> = []
        var visited = 0
        for round in 0..<300 {
            var changes = 0
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                changes += 1
                let position = Int.random(in: 0..<source.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: source.insert(ListElement(id: 1000 + round * 10 + changes, text: "\(changes)"), at: position)
                case 1: source.remove(at: position)
                case 2: source.move(id: source[position].id, to: source.count / 2)
                default: source[position].text = "\(round)"
                }
            }
            visited = 0
            target.update(from: source) { element, shown in
                visited += 1
                // Odd ones come and go.
                shown =
                    element.text.utf8.last.map { $0 % 3 == 0 } == true ? nil : Shown(id: element.id, text: element.text)
            }
            #expect(round == 0 ? visited == source.count : visited <= changes)
            let expected = source.filter { $0.text.utf8.last.map { $0 % 3 == 0 } != true }
            #expect(target.map(\.id) == expected.map(\.id))
            #expect(target.map(\.text) == expected.map(\.text))
        }
    }

    @Test("An update follows a dictionary in the order of its keys, and keeps existing elements")
    func dictionary() {
        var source = StateDictionary((0..<100).map { ($0, $0) })
        var target: StateList<Shown> = []
        var visited: [Int] = []
        func update(least: Int = 0) {
            visited = []
            target.update(from: source, dependingOn: least) { key, value, shown in
                visited.append(key)
                guard value >= least else {
                    shown = nil
                    return
                }
                if shown == nil { shown = Shown(id: key, text: "new") }
                shown?.text += " \(value)"
            }
        }
        update()
        #expect(visited.count == 100)
        source[50] = 500
        source[7] = nil
        source[200] = 1
        source[-1] = 2
        update()
        #expect(Set(visited) == [50, 200, -1])
        #expect(target[id: 50]?.text == "new 50 500")
        #expect(target.map(\.id) == Array(source.keys))
        update(least: 400)
        #expect(visited.count == 101)
        #expect(target.map(\.text) == ["new 50 500 500"])
    }
}
