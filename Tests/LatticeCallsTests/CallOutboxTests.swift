import LatticeWire
import Testing

@testable import LatticeCalls

@Suite struct CallOutboxTests {
    private func body(_ name: String) -> SplitBody { SplitBody(head: Array(name.utf8), payload: [], tail: []) }

    /// Takes at most this many messages and returns their names.
    private func names(_ outbox: inout CallOutbox, _ count: Int = .max) -> [String] {
        var names: [String] = []
        outbox.send { message in
            guard names.count < count else { return false }
            names.append(String(decoding: message.body.head, as: UTF8.self))
            return true
        }
        return names
    }

    @Test("Callers take turns, so that answers to one do not delay those to another")
    func turns() {
        var outbox = CallOutbox()
        for number in 1...5 { outbox.append(answer: .actorReply, body("a\(number)"), for: 1) }
        for number in 1...2 { outbox.append(answer: .actorReply, body("b\(number)"), for: 2) }
        #expect(outbox.bytes(for: 1) == 10)
        #expect(outbox.bytes(for: 2) == 4)
        #expect(names(&outbox, 3) == ["a1", "b1", "a2"])
        outbox.append(answer: .actorReply, body("c1"), for: 3)
        #expect(names(&outbox) == ["b2", "a3", "c1", "a4", "a5"])
        #expect(outbox.isEmpty)
        #expect(outbox.bytes(for: 1) == 0)
    }

    @Test("A call is sent before answers that were queued later, and after earlier ones")
    func calls() {
        var outbox = CallOutbox()
        outbox.append(answer: .actorReply, body("a1"), for: 1)
        outbox.append(call: .actorCall, body("x"))
        outbox.append(answer: .actorReply, body("b1"), for: 2)
        outbox.append(answer: .actorReply, body("a2"), for: 1)
        outbox.append(call: .actorCall, body("y"))
        #expect(outbox.callBytes == 2)
        #expect(names(&outbox) == ["a1", "x", "b1", "a2", "y"])
        #expect(outbox.callBytes == 0)
        outbox.append(call: .actorCall, body("z"))
        let rest = outbox.takeAll()
        #expect(rest.count == 1)
        #expect(outbox.isEmpty)
    }
}
