import LatticeCore
import Testing

@testable import LatticeCalls

@Suite struct NumberedCallsTests {
    private typealias Calls = NumberedCalls<String>

    @Test func callsThatEndInAnyOrderAreFoundUntilTheyEnd() {
        var calls = Calls()
        for number: UInt64 in 1...6 { calls.append("\(number)", number) }
        #expect(calls.count == 6 && calls[1] == "1" && calls[6] == "6" && calls[7] == nil && calls[0] == nil)
        let holds1 = calls.remove(3) == "3"
        #expect(holds1)
        let holds2 = calls.remove(3) == nil
        #expect(holds2)
        let holds3 = calls.remove(1) == "1"
        #expect(holds3)
        let holds4 = calls.replace(2, with: "two")
        #expect(holds4)
        let holds5 = !calls.replace(3, with: "three") && !calls.replace(1, with: "one")
        #expect(holds5)
        #expect(calls.count == 4 && calls.sorted.map(\.number) == [2, 4, 5, 6])
        for number: UInt64 in [2, 4, 5, 6] {
            let holds6 = calls.remove(number) != nil
            #expect(holds6)
        }
        #expect(calls.count == 0 && calls.sorted.isEmpty)
        calls.append("a", 7)
        #expect(calls[7] == "a" && calls[6] == nil)
    }

    @Test("A call that stays is found, however many calls come and go after it")
    func oneThatStays() {
        var calls = Calls()
        calls.append("watch", 1)
        for number in 2...UInt64(4 * Calls.maximumRecent) {
            calls.append("call", number)
            let holds7 = calls.remove(number) == "call"
            #expect(holds7)
        }
        #expect(calls[1] == "watch" && calls.count == 1)
        let holds8 = calls.replace(1, with: "still")
        #expect(holds8)
        #expect(calls.sorted.map(\.call) == ["still"])
        let holds9 = calls.remove(1) == "still"
        #expect(holds9)
        let holds10 = calls.remove(1) == nil && calls.count == 0
        #expect(holds10)
    }

    @Test("More calls than the queue has slots are all found, in order")
    func moreThanTheQueueHas() {
        var calls = Calls()
        let last = UInt64(2 * Calls.maximumRecent + 10)
        for number in 1...last { calls.append("\(number)", number) }
        #expect(calls.count == Int(last) && calls.sorted.map(\.number) == Array(1...last))
        for number in (1...last).reversed() {
            let holds11 = calls.remove(number) == "\(number)"
            #expect(holds11)
        }
        #expect(calls.count == 0)
    }

    @Test("Gaps in the numbers take no slots", arguments: [2, 64, 65, 66, 1 << 40])
    func gaps(_ gap: UInt64) {
        var calls = Calls()
        calls.append("a", 5)
        calls.append("b", 5 + gap)
        calls.append("c", 6 + gap)
        #expect(calls.count == 3 && calls[5] == "a" && calls[6] == nil && calls[5 + gap] == "b")
        #expect(calls.sorted.map(\.call) == ["a", "b", "c"])
        let holds12 = calls.remove(5 + gap) == "b"
        #expect(holds12)
        let holds13 = calls.remove(5) == "a"
        #expect(holds13)
        let holds14 = calls.remove(6 + gap) == "c"
        #expect(holds14)
        #expect(calls.count == 0)
    }

    @Test("The table behaves like a dictionary", arguments: 0..<20)
    func likeADictionary(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (calls, model): (NumberedCalls<Int>, [UInt64: Int]) = (NumberedCalls(), [:])
        // The model's keys in order. To sort them for each step is most of the cost.
        var numbers: [UInt64] = []
        var last: UInt64 = 0
        for step in 0..<4_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                last += Int.random(in: 0..<50, using: &random) == 0 ? UInt64.random(in: 1...200, using: &random) : 1
                calls.append(step, last)
                model[last] = step
                numbers.append(last)
            case 5..<9:
                // Mostly one of the first that are under way.
                let number =
                    numbers.prefix(4).randomElement(using: &random)
                    ?? UInt64.random(in: 0...last + 1, using: &random)
                let isSame = calls.remove(number) == model.removeValue(forKey: number)
                #expect(isSame)
                if let place = numbers.prefix(4).firstIndex(of: number) { numbers.remove(at: place) }
            default:
                let number = UInt64.random(in: 0...last + 1, using: &random)
                #expect(calls[number] == model[number])
                let isThere = model[number] != nil
                let isReplaced = calls.replace(number, with: -step)
                #expect(isReplaced == isThere)
                if isThere { model[number] = -step }
            }
            #expect(calls.count == model.count)
        }
        #expect(calls.sorted.map(\.number) == model.keys.sorted())
        #expect(calls.sorted.map(\.call) == model.sorted { $0.key < $1.key }.map(\.value))
    }
}
