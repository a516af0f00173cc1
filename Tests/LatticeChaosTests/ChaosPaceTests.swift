import LatticeFaults
import Testing

@testable import LatticeChaos

/// Tests the settings that depend on the speed of the machine.
@Suite struct ChaosPaceTests {
    private static let extent = ChaosExtent(events: 500, faults: 100, kinds: [.hang])

    @Test("Starts, ends and the whole round have more time on a slow machine")
    func slow() {
        let slow = ChaosPace(start: .seconds(1))
        #expect(slow.bootTimeout == .seconds(8))
        #expect(slow.leaveTimeout == .seconds(4))
        let plan = ChaosPlan(seed: 7, Self.extent, pace: slow)
        #expect(plan.patience == .seconds(30) + .milliseconds(8500) * 100)
        #expect(
            CallPlan(seed: 7, CallExtent(calls: 10, faults: 100, kinds: [.hang]), pace: slow).patience == plan.patience
        )
    }

    @Test("A fast machine has the shortest limits")
    func fast() {
        #expect(ChaosPace.quiet.bootTimeout == .milliseconds(500))
        #expect(ChaosPace(start: .milliseconds(1)).bootTimeout == .milliseconds(500))
        #expect(ChaosPace(start: .milliseconds(1)).leaveTimeout == .seconds(1))
    }

    @Test("The same seed makes the same round at any pace")
    func seeds() {
        let (quiet, slow) = (
            ChaosPlan(seed: 7, Self.extent), ChaosPlan(seed: 7, Self.extent, pace: .init(start: .seconds(1)))
        )
        #expect(quiet.workers == slow.workers && quiet.clients == slow.clients)
        #expect(quiet.parts.map(\.seed) == slow.parts.map(\.seed))
    }
}
