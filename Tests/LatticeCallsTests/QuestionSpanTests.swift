import LatticeConcurrency
import LatticeSession
import LatticeWire
import Testing

@testable import LatticeCalls

@Suite(.timeLimit(.minutes(1))) struct QuestionSpanTests {
    private final class NotedSpan: OpenSpan {
        let lines = ["trace=1"]
        let ends = Locked<[SpanEnd]>([])

        func set(_ attribute: SpanAttributeName, to value: String) {}
        func resolve(method: String) {}
        func end(_ end: SpanEnd) { ends.withLock { $0.append(end) } }
        func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
        func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result { try await body() }
    }

    @Test("A question that is repeated has one span, which ends with the last reply")
    func repeated() async throws {
        let node = ActorNode(isHub: false, title: "tool")
        let begun = Locked<[NotedSpan]>([])
        node.onTrace { _, _ in
            let span = NotedSpan()
            begun.withLock { $0.append(span) }
            return span
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
        let ends = begun.withLock { $0.map { $0.ends.withLock(\.self) } }
        #expect(ends == [[SpanEnd("refused", failure: .init(type: "refused", message: "it has ended"))]])
    }
}
