import Testing

@testable import LatticeTransport

struct SignOfLifePaceTests {
    private let start = Duration.seconds(5)

    @Test("A sign of life is due when a turn has taken 10 ms, and then every 10 ms")
    func onlyInLongTurns() {
        var pace = SignOfLifePace()
        #expect(pace.isDue(start) == false)
        #expect(pace.isDue(start + .milliseconds(9)) == false)
        #expect(pace.isDue(start + .milliseconds(10)) == true)
        pace.gave(from: start + .milliseconds(10), to: start + .milliseconds(10))
        #expect(pace.isDue(start + .milliseconds(19)) == false)
        #expect(pace.isDue(start + .milliseconds(20)) == true)
        pace.tickBegins()
        #expect(pace.isDue(start + .milliseconds(1000)) == false)
        #expect(pace.isDue(start + .milliseconds(1009)) == false)
        #expect(pace.isDue(start + .milliseconds(1010)) == true)
    }

    @Test("Signs of life to many peers take at most a tenth of the time", arguments: [(1, 10), (2, 18), (50, 450)])
    func theirShareIsBounded(taken: Int, pause: Int) {
        var pace = SignOfLifePace()
        pace.gave(from: start, to: start + .milliseconds(taken))
        #expect(pace.isDue(start + .milliseconds(taken + pause - 1)) == false)
        #expect(pace.isDue(start + .milliseconds(taken + pause)) == true)
    }
}
