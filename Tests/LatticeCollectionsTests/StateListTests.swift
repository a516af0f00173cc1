import LatticeCollections
import LatticeCore
import Testing

struct ListElement: Identifiable, Hashable, Codable, Sendable {
    let id: Int
    var text = ""
}

@Suite struct StateListTests {
    @Test("A StateList behaves like an Array under random changes", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var list: StateList<ListElement> = []
        var model: [ListElement] = []
        var copies: [(StateList<ListElement>, [ListElement])] = []
        for step in 0..<4000 {
            let position = Int.random(in: 0...model.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) + (step > 2600 ? 3 : 0) {
            case 0...2:
                let isNew = list.insert(ListElement(id: step), at: position)
                #expect(isNew)
                model.insert(ListElement(id: step), at: position)
            case 3:
                list.append(ListElement(id: step))
                model.append(ListElement(id: step))
            case 4 where position < model.count:
                list[position].text += "x"
                model[position].text += "x"
            case 5 where position < model.count:
                list[id: model[position].id]?.text += "y"
                model[position].text += "y"
            case 6 where position < model.count:
                let target = Int.random(in: 0..<model.count, using: &generator)
                let isThere = list.move(id: model[position].id, to: target)
                #expect(isThere)
                model.insert(model.remove(at: position), at: target)
            case 7... where position < model.count:
                let (old, expected) = (list.remove(at: position), model.remove(at: position))
                #expect(old == expected)
            default:
                let none = list.remove(id: -1)
                #expect(none == nil)
            }
            if step % 400 == 0 { copies.append((list, model)) }
        }
        for (copy, model) in copies + [(list, model)] {
            #expect(Array(copy) == model)
            #expect(copy == StateList(model))
            for (position, element) in model.enumerated() where position % 31 == 0 {
                #expect(copy[position] == element)
                #expect(copy[id: element.id] == element)
                #expect(copy.index(id: element.id) == position)
            }
        }
    }

    @Test("Any number of elements can be inserted at one position") func crowd() {
        var list = StateList((0..<10).map { ListElement(id: $0) })
        var model = Array(list)
        for id in 10..<3000 {
            let position = [3, model.count - 2, 0, model.count][id % 4]
            list.insert(ListElement(id: id), at: position)
            model.insert(ListElement(id: id), at: position)
        }
        for id in 3000..<6000 {
            list.insert(ListElement(id: id), at: 5)
            model.insert(ListElement(id: id), at: 5)
        }
        #expect(Array(list) == model)
        #expect(list.indices.allSatisfy { list.index(id: list[$0].id) == $0 })
    }

    @Test("An ID occurs only once") func unique() throws {
        var list = StateList([1, 2, 1].map { ListElement(id: $0, text: "\($0)") })
        #expect(list.map(\.id) == [1, 2])
        let isNew = list.append(ListElement(id: 2))
        #expect(!isNew)
        list.updateOrAppend(ListElement(id: 2, text: "two"))
        #expect(list[1].text == "two")
        let twice = try encoded([ListElement(id: 1), ListElement(id: 1)])
        #expect(throws: DecodingError.self) { try decoded(StateList<ListElement>.self, twice) }
        #expect(try decoded(StateList<ListElement>.self, encoded(list)) == list)
        #expect(try encoded(list) == encoded(Array(list)))
    }

    @Test("Elements are found, set and removed by ID") func byID() {
        var list: StateList<ListElement> = []
        list[id: 4] = ListElement(id: 4)
        list[id: 5] = ListElement(id: 5)
        list[id: 4] = nil
        #expect(list.map(\.id) == [5])
        #expect(list.contains(id: 5) && !list.contains(id: 4))
        list.removeAll { $0.id == 5 }
        #expect(list.isEmpty)
    }
}
