import LatticeTestSupport
import Testing

@testable import LatticeTransport

struct ReactorTimersTests {
    @Test func workIsDueInTheOrderOfItsMoments() {
        var timers = ReactorTimers()
        var generator = SystemRandomNumberGenerator()
        let log = Watched<[Int64]>([])
        let moments = (0..<500).map { _ in Int64.random(in: 0..<100, using: &generator) }
        let keys = moments.map { moment in timers.add(at: moment) { log.change { $0.append(moment) } } }
        for (index, key) in keys.enumerated() where index.isMultiple(of: 3) { timers.cancel(key) }
        let left = moments.enumerated().filter { !$0.offset.isMultiple(of: 3) }.map(\.element).sorted()
        #expect(timers.milliseconds(from: -10) == Int32(left[0]) + 10)
        for now in Int64(0)..<100 {
            for work in timers.takeDue(now) { work() }
            #expect(log.value == left.filter { $0 <= now })
        }
        #expect(timers.isEmpty)
        #expect(timers.milliseconds(from: 0) == -1)
    }

    @Test func equalMomentsKeepTheirOrder() {
        var timers = ReactorTimers()
        let log = Watched<[Int]>([])
        for number in 0..<100 { _ = timers.add(at: 7) { log.change { $0.append(number) } } }
        for work in timers.takeDue(7) { work() }
        #expect(log.value == Array(0..<100))
    }
}
