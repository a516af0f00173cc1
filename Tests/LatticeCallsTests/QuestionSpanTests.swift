import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct QuestionSpanTests {
    @Test("A question that is repeated has one span, which ends with the last reply")
    func repeated() async throws {
        let node = ActorNode(isHub: false, title: "tool")
        let begun = Locked(0)
        let ends = Locked<[SpanEnd]>([])
        node.onTrace { _, _ in
            begun.withLock { $0 += 1 }
            return NotedSpan(["trace=1"]) { end in ends.withLock { $0.append(end) } }
        }
        let tries = Locked(0)
        let absent = try #require(NodeID([UInt8](repeating: 7, count: 16)))
        let reply = await node.ask([1], on: 1, CallContext()) { () throws(CallFailure) in
            let count = tries.withLock { tries in
                tries += 1
                return tries
            }
            if count == 4 { throw CallFailure(.refused, "it has ended") }
            // There is no such node, or none at the moment, so the question is asked again.
            return count == 3 ? nil : absent
        }
        #expect(reply.code == .refused && tries.withLock(\.self) == 4)
        #expect(begun.withLock(\.self) == 1)
        let refused = SpanEnd("refused", failure: .init(type: "refused", message: "it has ended"))
        #expect(ends.withLock(\.self) == [refused])
    }
}
