import Testing

@testable import LatticeConcurrency

struct TimersTests {
    @Test func workIsDueInTheOrderOfItsMoments() {
        var timers = Timers()
        var generator = SystemRandomNumberGenerator()
        let log = Log()
        let moments = (0..<500).map { _ in Int64.random(in: 0..<100, using: &generator) }
        let keys = moments.map { moment in timers.add(at: moment) { log.add(moment) } }
        for (index, key) in keys.enumerated() where index.isMultiple(of: 3) { timers.cancel(key) }
        let left = moments.enumerated().filter { !$0.offset.isMultiple(of: 3) }.map(\.element).sorted()
        #expect(timers.first() == left[0])
        for now in Int64(0)..<100 {
            for work in timers.takeDue(now) { work() }
            #expect(log.value == left.filter { $0 <= now })
        }
        #expect(timers.isEmpty)
        #expect(timers.first() == nil)
    }

    @Test("The earliest instant is never missed, and after a cancellation it is early at most once")
    func earliest() {
        var timers = Timers()
        #expect(timers.earliest == .max)
        let first = timers.add(at: 5) {}
        _ = timers.add(at: 9) {}
        #expect(timers.earliest == 5)
        timers.cancel(first)
        #expect(timers.earliest == 5)
        #expect(timers.takeDue(5).isEmpty)
        #expect(timers.earliest == 9)
        _ = timers.add(at: 7) {}
        #expect(timers.earliest == 7)
        #expect(timers.takeDue(9).count == 2)
        #expect(timers.earliest == .max)
    }

    @Test func equalMomentsKeepTheirOrder() {
        var timers = Timers()
        let log = Log()
        for number in Int64(0)..<100 { _ = timers.add(at: 7) { log.add(number) } }
        for work in timers.takeDue(7) { work() }
        #expect(log.value == (0..<100).map(Int64.init))
    }

    @Test("Cancelled timers are removed once they outnumber the others")
    func cancelled() {
        var timers = Timers()
        let kept = timers.add(at: 1_000_000) {}
        for moment in Int64(0)..<10_000 { timers.cancel(timers.add(at: moment + 10, {})) }
        #expect(timers.size < 100)
        #expect(timers.first() == 1_000_000)
        timers.cancel(kept)
        timers.cancel(kept)
        #expect(timers.isEmpty)
        #expect(timers.first() == nil)
    }
}

private final class Log: Sendable {
    private let numbers = Locked<[Int64]>([])

    var value: [Int64] { numbers.withLock { $0 } }

    func add(_ number: Int64) {
        numbers.withLock { $0.append(number) }
    }
}
