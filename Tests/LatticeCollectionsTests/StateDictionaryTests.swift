import LatticeCoding
import LatticeCollections
import LatticeCore
import Testing

@Suite struct StateDictionaryTests {
    @Test("A StateDictionary behaves like a Dictionary under random changes", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var dictionary: StateDictionary<Int, Int> = [:]
        var model: [Int: Int] = [:]
        var copies: [(StateDictionary<Int, Int>, [Int: Int])] = []
        for step in 0..<6000 {
            // Grows first, and shrinks to nothing at last.
            let key = Int.random(in: -20..<1500, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) + (step > 3500 ? 3 : 0) {
            case ..<5:
                let (old, expected) = (dictionary.updateValue(step, forKey: key), model.updateValue(step, forKey: key))
                #expect(old == expected)
            case 5:
                dictionary[key]? += 1
                model[key]? += 1
            case 6:
                dictionary[key, default: 7] += 1
                model[key, default: 7] += 1
            case 7:
                dictionary[key] = nil
                model[key] = nil
            default:
                let (old, expected) = (dictionary.removeValue(forKey: key), model.removeValue(forKey: key))
                #expect(old == expected)
            }
            if step % 500 == 0 { copies.append((dictionary, model)) }
        }
        for (copy, model) in copies + [(dictionary, model)] {
            #expect(copy.count == model.count)
            #expect(Dictionary(uniqueKeysWithValues: copy.map { ($0, $1) }) == model)
            #expect(Array(copy.keys) == model.keys.sorted { Int._precedes($0, $1) })
            #expect(copy == StateDictionary(model.map { ($0, $1) }))
            for (offset, index) in copy.indices.enumerated() where offset % 97 == 0 {
                #expect(copy.index(forKey: copy[index].key) == index)
            }
        }
        #expect(copies[0].0 != copies[1].0)
    }

    @Test("Keys are in the order of their text")
    func order() {
        let texts: StateDictionary = ["b": 1, "aa": 2, "a": 3, "é": 4, "": 5]
        #expect(Array(texts.keys) == ["", "a", "b", "aa", "é"])
        let numbers = StateDictionary([0, 9, 10, -1, -10, 123, -123, Int.min, Int.max].map { ($0, "\($0)") })
        #expect(numbers.allSatisfy { "\($0)" == $1 })
        #expect(Array(numbers.keys) == [0, 9, -1, 10, -10, 123, -123, Int.max, Int.min])
        for first in numbers.keys {
            for second in numbers.keys {
                #expect(Int._precedes(first, second) == String._precedes("\(first)", "\(second)"))
            }
        }
    }

    @Test("A value is changed in place unless a copy shares it")
    func inPlace() {
        var dictionary = StateDictionary((0..<1000).map { ($0, [$0]) })
        let address = { (dictionary: StateDictionary<Int, [Int]>) in
            dictionary[500]?.withUnsafeBufferPointer { $0.baseAddress }
        }
        dictionary[500]?.reserveCapacity(10)
        let before = address(dictionary)
        dictionary[500]?.append(1)
        dictionary[500, default: []].append(2)
        #expect(address(dictionary) == before)
        let copy = dictionary
        dictionary[500]?.append(3)
        #expect(copy[500] == [500, 1, 2])
        #expect(dictionary[500] == [500, 1, 2, 3])
    }

    @Test("A StateDictionary is encoded like a Dictionary") func coding() throws {
        let words: StateDictionary = ["b": 1, "aa": 2]
        let bytes = try encoded(words)
        #expect(try bytes == encoded(["b": 1, "aa": 2]))
        #expect(try decoded(StateDictionary<String, Int>.self, bytes) == words)
        let numbers = StateDictionary((-5..<200).map { ($0, "\($0)") })
        #expect(try decoded(StateDictionary<Int, String>.self, try encoded(numbers)) == numbers)
        #expect(throws: DecodingError.self) { try decoded(StateDictionary<Int, Int>.self, bytes) }
    }

    @Test("An update visits changed elements, and all elements after other changes") func update() {
        var source = StateDictionary((0..<1000).map { ($0, $0) })
        var target: StateDictionary<Int, String> = [:]
        var visited: [Int] = []
        func update(_ context: Int = 0) {
            visited = []
            target.update(from: source, dependingOn: context) { key, value, text in
                visited.append(key)
                text = value < 0 ? nil : "\(value + context)"
            }
        }
        update()
        #expect(visited.count == 1000)
        #expect(target[7] == "7")
        update()
        #expect(visited.isEmpty)
        source[7] = 70
        source[8] = nil
        source[9] = -9
        source[2000] = 1
        update()
        #expect(visited == [7, 9, 2000])
        #expect(target[7] == "70" && target[8] == nil && target[9] == nil && target[2000] == "1")
        update(1)
        #expect(visited.count == 1000)
        #expect(target[7] == "71")
        target[7] = "other"
        target[3000] = "left over"
        update(1)
        #expect(visited.count == 1000)
        #expect(target[7] == "71" && target[3000] == nil)
    }

    @Test("An update works between any two versions, and visits the differences", arguments: [1, 2, 3] as [UInt64])
    func versions(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var versions: [StateDictionary<Int, Int>] = [StateDictionary((0..<800).map { ($0 * 2, $0) })]
        for step in 0..<40 {
            var next = versions[Int.random(in: versions.indices, using: &generator)]
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let key = Int.random(in: 0..<1700, using: &generator)
                // Mostly what leaves the keys as they are.
                switch step % 4 {
                case 0: next[key] = next[key] == nil ? step : nil
                default: next[key]? += 1
                }
            }
            versions.append(next)
        }
        var shown: StateDictionary<Int, Int> = [:]
        var last: StateDictionary<Int, Int> = [:]
        for _ in 0..<200 {
            let next = versions[Int.random(in: versions.indices, using: &generator)]
            var visited: Set<Int> = []
            shown.update(from: next) { key, value, row in
                visited.insert(key)
                row = value
            }
            #expect(visited == Set(next.filter { last[$0.key] != $0.value }.map(\.key)))
            #expect(shown == next && Array(shown.values) == Array(next.values))
            last = next
        }
    }

    @Test("A decoded dictionary of any size can lose its last elements")
    func decodedSizes() throws {
        for size in Array(1...450) + [2744, 2745, 2746, 5489] {
            let model = Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, $0) })
            let whole = try CBORDecoder().decode(StateDictionary<Int, Int>.self, from: CBOREncoder().encode(model))
            #expect(whole.count == size)
            var (less, shown) = (whole, whole)
            shown.update(from: whole) { _, value, row in row = value }
            for removed in 1...min(size, 40) {
                less[size - removed] = nil
                shown.update(from: less) { _, value, row in row = value }
                #expect(shown.count == size - removed && shown == less)
            }
            // And back again.
            shown.update(from: whole) { _, value, row in row = value }
            #expect(shown == whole)
        }
    }

    @Test("The description is that of a Dictionary") func description() {
        #expect("\(["b": 1, "a": 2] as StateDictionary)" == #"["a": 2, "b": 1]"#)
        #expect("\([:] as StateDictionary<Int, Int>)" == "[:]")
    }
}
