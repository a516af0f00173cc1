import Testing

@testable import LatticeCalls

@Suite struct CallStartsTests {
    /// Lets the calls with these numbers arrive.
    ///
    /// - Returns: The calls that begin.
    private func come(_ numbers: ClosedRange<Int>, _ starts: inout CallStarts<Int>, hasRoom: Bool = true) -> [Int] {
        numbers.filter { number in starts.begins(hasRoom: hasRoom, number) }
    }

    private func next(_ starts: inout CallStarts<Int>, hasRoom: Bool = true) -> [Int] {
        var begun: [Int] = []
        while let call = starts.next(hasRoom: hasRoom) { begun.append(call) }
        return begun
    }

    @Test("Of many simultaneous calls some begin, and each tick lets twice as many begin, in order")
    func manyAtOnce() {
        var starts = CallStarts<Int>()
        #expect(come(1...300, &starts) == Array(1...64))
        #expect(starts.isHolding)
        #expect(next(&starts) == [])
        starts.tick()
        #expect(next(&starts) == Array(65...128))
        starts.ended(100)
        #expect(next(&starts) == [129])
        starts.tick()
        #expect(next(&starts) == Array(130...257))
        starts.tick()
        #expect(next(&starts) == Array(258...300))
        #expect(!starts.isHolding)
        // One after the other, each begins at once.
        for _ in 1...300 - 1 { starts.ended(100) }
        #expect(starts.isIdle)
        #expect(come(1...65, &starts).count == 64)
    }

    @Test("Calls wait while there is no room for answers, and then begin in order")
    func noRoom() {
        var starts = CallStarts<Int>()
        #expect(come(1...3, &starts, hasRoom: false) == [])
        #expect(next(&starts, hasRoom: false) == [])
        // Later calls do not overtake them.
        #expect(come(4...4, &starts) == [])
        #expect(next(&starts) == [1, 2, 3, 4])
    }

    @Test("When answers are large, only as many calls run as there is room for")
    func largeAnswers() {
        var starts = CallStarts<Int>()
        #expect(come(1...200, &starts).count == 64)
        starts.ended(16 << 20)
        for _ in 1...60 {
            #expect(next(&starts) == [])
            starts.ended(16 << 20)
        }
        // 3 run, and 4 answers of this size are 64 MiB.
        #expect(next(&starts) == [65])
        starts.tick()
        #expect(next(&starts) == [66, 67, 68, 69])
        starts.ended(CallLimits.backlogThreshold * 2)
        for _ in 1...7 { starts.ended(0) }
        #expect(starts.isIdle == false)
        #expect(next(&starts).count == 1)
    }

    @Test("A waiting call can be removed, and the others keep their order")
    func takenOut() {
        var starts = CallStarts<Int>()
        #expect(come(1...5, &starts, hasRoom: false) == [])
        let taken = [3, 3, 1, 6, 5].map { number in starts.takeHeld(UInt64(number)) { UInt64($0) } }
        #expect(taken == [3, nil, 1, nil, 5])
        #expect(starts.running == 0)
        #expect(next(&starts) == [2, 4])
        let begun = starts.takeHeld(2) { UInt64($0) }
        #expect(begun == nil)
    }
}
