import LatticeWire
import Testing

@testable import LatticeCalls

@Suite struct QuestionTriesTests {
    private static let lost = CallOutcome.failure(.lost, "it was killed", mayHaveBegun: true)
    private static let unread = CallOutcome.failure(.lost)

    @Test func aQuestionThatMayHaveBeenReadIsAskedOnceMore() {
        var tries = QuestionTries()
        let steps = (0..<2).map { _ in tries.next(after: Self.lost) }
        #expect(steps[0] == .again)
        guard case .end(let reply) = steps[1] else {
            Issue.record("another step")
            return
        }
        #expect(reply.code == .interrupted)
        #expect(reply.failure?.reason == "the process that was answering has ended twice; the last time: it was killed")
    }

    @Test func aQuestionThatEndsWithItsWorkerIsAskedOfTheNextOne() {
        var tries = QuestionTries()
        let step = tries.next(after: CallOutcome.failure(.cancelled))
        #expect(step == .again)
    }

    @Test func anUnreadQuestionIsAskedAgain() {
        var tries = QuestionTries()
        let replies = [Self.unread, CallOutcome.failure(.noNode), .noChannel(3), Self.lost, Self.unread]
        for reply in replies {
            let step = tries.next(after: reply)
            #expect(step == .again)
        }
    }

    @Test(arguments: [
        ReplyCode.returned, .threw, .cancelled, .deadline, .overloaded, .refused, .interrupted, .tooLarge,
    ])
    func anythingElseIsTheEnd(_ code: ReplyCode) {
        var tries = QuestionTries()
        let reply = CallOutcome.failure(code)
        let step = tries.next(after: reply, isCancelled: true)
        #expect(step == .end(reply))
    }
}
