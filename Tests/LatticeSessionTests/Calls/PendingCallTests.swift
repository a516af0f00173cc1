import Dispatch
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeSession

@Suite struct PendingCallTests {
    @Test("A call whose answer arrives while its caller gives up is no longer counted")
    func answerAtTheDeadline() {
        let lost = Watched(0)
        for _ in 0..<5_000 {
            let tracker = CallTracker()
            let pending = PendingCall(tracker: tracker)
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                guard side == 0 else { return pending.cancel() }
                pending.complete(ActorReply(call: 0, code: .returned))
                if !tracker.whenNoneRuns({}) { lost.change { $0 += 1 } }
            }
        }
        #expect(lost.value == 0)
    }
}
