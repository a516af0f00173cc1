import Testing

@testable import LatticeSession

@Suite struct LinkMapTests {
    @Test(arguments: [[1], [1, 2], [2, 5, 9, 12, 40], [3, 1, 2], Array(1...33)])
    func whatIsPutInIsFoundUntilItIsRemoved(_ numbers: [UInt64]) {
        var map = LinkMap<UInt64>()
        for number in numbers { map.insert(number * 10, forKey: LinkID(number: number)) }
        #expect(map.keys.map(\.number) == numbers.sorted() && map.values == numbers.sorted().map { $0 * 10 })
        for number in 0...(numbers.max() ?? 0) + 1 {
            #expect(map[LinkID(number: number)] == (numbers.contains(number) ? number * 10 : nil))
        }
        for (removed, number) in numbers.enumerated() {
            let holds1 = map.removeValue(forKey: LinkID(number: number)) == number * 10
            #expect(holds1)
            let holds2 = map.removeValue(forKey: LinkID(number: number)) == nil
            #expect(holds2)
            #expect(map.values.count == numbers.count - removed - 1)
        }
    }

    @Test func valuesAreChangedInPlace() {
        var map = LinkMap<[Int]>()
        map.insert([1], forKey: LinkID(number: 4))
        let holds3 = map.change(LinkID(number: 4)) { $0.append(2) } != nil
        #expect(holds3)
        let holds4 = map.change(LinkID(number: 5)) { $0.append(2) } == nil
        #expect(holds4)
        #expect(map[LinkID(number: 4)] == [1, 2])
    }
}
