import Testing

@testable import LatticeCalls

@Suite struct SessionMapTests {
    @Test(arguments: [[1], [1, 2], [2, 5, 9, 12, 40], [3, 1, 2], Array(1...33)])
    func entriesAreFoundUntilTheyAreRemoved(_ numbers: [UInt64]) {
        var map = SessionMap<UInt64>()
        for number in numbers { map.insert(number * 10, forKey: SessionID(number: number)) }
        #expect(map.keys.map(\.number) == numbers.sorted() && map.values == numbers.sorted().map { $0 * 10 })
        for number in 0...(numbers.max() ?? 0) + 1 {
            #expect(map[SessionID(number: number)] == (numbers.contains(number) ? number * 10 : nil))
        }
        for (removed, number) in numbers.enumerated() {
            let holds1 = map.removeValue(forKey: SessionID(number: number)) == number * 10
            #expect(holds1)
            let holds2 = map.removeValue(forKey: SessionID(number: number)) == nil
            #expect(holds2)
            #expect(map.values.count == numbers.count - removed - 1)
        }
    }

    @Test func valuesAreChangedInPlace() {
        var map = SessionMap<[Int]>()
        map.insert([1], forKey: SessionID(number: 4))
        let holds3 = map.change(SessionID(number: 4)) { $0.append(2) } != nil
        #expect(holds3)
        let holds4 = map.change(SessionID(number: 5)) { $0.append(2) } == nil
        #expect(holds4)
        #expect(map[SessionID(number: 4)] == [1, 2])
    }
}
