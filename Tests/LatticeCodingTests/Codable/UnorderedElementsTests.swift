import ByteTestSupport
import LatticeCoding
import LatticeCore
import Testing

/// Equal values are equal bytes, whatever the order in which they were built.
@Suite struct UnorderedElementsTests {
    /// Sets and dictionaries inside one another, with keys of every sort.
    struct Deep: Codable, Hashable {
        var names: Set<String> = []
        var pairs: [Action: Set<Int>] = [:]
        var groups: Set<Set<Action>> = []
        var lists: [[String]: [Double: String]] = [:]
        var maps: [Int: Set<Double>] = [:]
        var some: Set<String>?
    }

    @Test(
        arguments: [
            (Set([3, 1, 2, 24, 256, -1, -25]), "8701020318181901002038 18"),
            ([], "80"),
            ([7], "8107"),
        ] as [(Set<Int>, String)]
    )
    func aSetIsSortedByItsBytes(set: Set<Int>, hex: String) throws {
        #expect(Hex.digits(try CBOREncoder().encode(set)) == hex.filter { $0 != " " })
    }

    @Test func aDictionaryIsSortedByTheBytesOfItsKeys() throws {
        let value = [[2]: "a", [1, 1]: "b", [1]: "c", []: "d"]
        #expect(
            Hex.digits(try CBOREncoder().encode(value)) == "888061648101616381026161820101 6162".filter { $0 != " " }
        )
        let enums: [Action: Int] = [.reset: 1, .add(1): 2, .add(0): 3]
        let expected = "86a163616464a1625f3000 03 a163616464a1625f3001 02 a1657265736574a0 01".filter { $0 != " " }
        #expect(Hex.digits(try CBOREncoder().encode(enums)) == expected)
    }

    @Test func anArrayKeepsItsOrder() throws {
        let value = [[Action.reset], [.add(2)], [.add(1)]]
        #expect(try CBORDecoder().decode([[Action]].self, from: CBOREncoder().encode(value)) == value)
        let sets: [Set<Int>] = [[2], [1]]
        #expect(Hex.digits(try CBOREncoder().encode(sets)) == "8281028101")
    }

    @Test(arguments: 0..<8) func equalValuesAreEqualBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let parts = Parts(&generator)
            let first = parts.build(&generator)
            let bytes = try CBOREncoder().encode(first)
            for _ in 0..<4 {
                let second = parts.build(&generator)
                #expect(second == first)
                #expect(try CBOREncoder().encode(second) == bytes, "seed \(seed)")
            }
            #expect(try CBORDecoder().decode(Deep.self, from: bytes) == first)
        }
    }

    @Test func unequalValuesAreNot() throws {
        var first = Deep(names: ["a", "b"], pairs: [.reset: [1, 2]])
        let bytes = try CBOREncoder().encode(first)
        first.pairs[.reset] = [1, 3]
        #expect(try CBOREncoder().encode(first) != bytes)
    }

    @Test func aSetBehindNestedContainersInTurnIsSorted() throws {
        struct Interleaved: Encodable {
            let set: Set<Int>

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                var first = container.nestedUnkeyedContainer()
                var second = container.nestedUnkeyedContainer()
                try first.encode(set)
                try second.encode(set)
                try first.encode(0)
            }
        }
        let set = Set([5, 4, 3, 2, 1])
        #expect(
            Hex.digits(try CBOREncoder().encode(Interleaved(set: set)))
                == "828285010203040500818501020304 05".filter { $0 != " " }
        )
    }

    /// The parts of a value, in no order.
    private struct Parts {
        let names: [String]
        let numbers: [Int]
        let actions: [Action]
        /// The texts of the actions. Making them again for each value took two fifths of the time.
        let texts: [Action: String]

        init(_ generator: inout SeededGenerator) {
            names = (0..<Int.random(in: 0..<40, using: &generator)).map { String(repeating: "x", count: $0) }
            numbers = (0..<Int.random(in: 0..<40, using: &generator)).map { ($0 - 8) * 97 }
            actions = [.reset] + numbers.map { .add($0) } + names.map { .scan(path: $0, depth: nil) }
            texts = Dictionary(uniqueKeysWithValues: actions.map { ($0, "\($0)") })
        }

        /// Returns an equal value with another order of insertions and other capacities, so that its sets and
        /// dictionaries iterate in another order.
        func build(_ generator: inout SeededGenerator) -> Deep {
            var deep = Deep()
            deep.names.reserveCapacity(Int.random(in: 0..<300, using: &generator))
            deep.pairs.reserveCapacity(Int.random(in: 0..<300, using: &generator))
            deep.names.formUnion(names.shuffled(using: &generator))
            deep.some = names.isEmpty ? nil : deep.names
            for action in actions.shuffled(using: &generator) {
                var set: Set<Int> = []
                set.reserveCapacity(Int.random(in: 0..<300, using: &generator))
                for number in numbers.shuffled(using: &generator) { set.insert(number) }
                deep.pairs[action] = set
                deep.groups.insert([action, .reset])
                let text = texts[action] ?? ""
                deep.lists[[text]] = [1.5: "a", 2.5: "b", -1: text]
                deep.maps[text.utf8.count] = [0.5, 1e300, 3]
            }
            return deep
        }
    }
}
