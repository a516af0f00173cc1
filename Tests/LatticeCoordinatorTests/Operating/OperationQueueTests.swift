import Testing

@testable import LatticeCoordinator

/// The requests of tools to act, without a coordinator.
@Suite struct OperationQueueTests {
    private typealias Queue = OperationQueue<Int, String>

    @Test("A session has at most 4 unanswered acts, and all sessions have at most 16")
    func limits() {
        var queue = Queue()
        for session in 0..<4 {
            for _ in 0..<4 { #expect(queue.receive(from: session) == .begin) }
            #expect(queue.receive(from: session) == .tooManyOfSession)
        }
        #expect(queue.count == 16)
        #expect(queue.receive(from: 9) == .tooMany)
        #expect(queue.finished("a", for: 0) == "a")
        // An answer that is not sent counts.
        #expect(queue.receive(from: 0) == .tooManyOfSession && queue.receive(from: 9) == .tooMany)
        #expect(queue.sent(to: 0) == nil)
        #expect(queue.receive(from: 9) == .begin)
    }

    @Test("Answers keep the order in which the acts ended, and wait for room")
    func order() {
        var queue = Queue()
        for _ in 0..<3 { #expect(queue.receive(from: 1) == .begin) }
        #expect(queue.finished("a", for: 1) == "a")
        #expect(queue.finished("b", for: 1) == nil && queue.finished("c", for: 1) == nil)
        #expect(queue.drained(1) == "a")
        #expect(queue.sent(to: 1) == "b" && queue.sent(to: 1) == "c" && queue.sent(to: 1) == nil)
        #expect(queue.drained(1) == nil && queue.count == 0)
    }

    @Test("The acts of sessions that ended take no places, and nothing is sent")
    func orphans() {
        var queue = Queue()
        for session in 0..<4 {
            for _ in 0..<4 { #expect(queue.receive(from: session) == .begin) }
        }
        _ = queue.finished("a", for: 1)
        for session in 0..<4 { queue.ended(session) }
        #expect(queue.count == 0 && queue.drained(1) == nil && queue.sent(to: 1) == nil)
        #expect(queue.receive(from: 9) == .begin)
        #expect(queue.finished("late", for: 1) == nil)
        #expect(queue.count == 1)
    }
}
