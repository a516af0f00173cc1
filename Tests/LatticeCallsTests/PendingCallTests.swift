import Dispatch
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeCalls

@Suite struct PendingCallTests {
    @Test("A call whose answer arrives while its caller gives up is no longer counted")
    func answerAtTheDeadline() {
        let lost = Watched(0)
        for _ in 0..<5_000 {
            let tracker = CallTracker()
            let pending = PendingCall(tracker: tracker)
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                guard side == 0 else { return pending.cancel() }
                pending.complete(CallOutcome.returned(nil))
                if !tracker.whenNoneRuns({}) { lost.change { $0 += 1 } }
            }
        }
        #expect(lost.value == 0)
    }

    @Test("A call that is answered as cancelled after its deadline has passed ends with the deadline")
    func cancellationAtTheDeadline() async {
        let expired = PendingCall()
        expired.expire(.deadlinePassed(mayHaveBegun: true))
        expired.complete(CallOutcome.failure(.cancelled))
        #expect(await code(of: expired) == .deadline)
        let cancelled = PendingCall()
        cancelled.complete(CallOutcome.failure(.cancelled))
        #expect(await code(of: cancelled) == .cancelled)
        let answered = PendingCall()
        answered.expire(.deadlinePassed(mayHaveBegun: true))
        answered.complete(CallOutcome.returned(nil))
        #expect(await code(of: answered) == .returned)
    }

    private func code(of pending: PendingCall) async -> ReplyCode? {
        guard case .outcome(let reply) = await pending.answer() else { return nil }
        return reply.code
    }
}
