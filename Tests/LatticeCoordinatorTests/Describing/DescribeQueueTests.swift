import Testing

@testable import LatticeCoordinator

/// The order in which requests to describe something are answered.
struct DescribeQueueTests {
    private typealias Queue = DescribeQueue<Int, String, String>

    /// A queue that may be changed inside an expectation, and whose outputs are words.
    private final class Bench {
        var queue = Queue()

        func receive(_ request: String, of session: Int) -> [String] { words(queue.receive(request, of: session)) }
        func built(_ answer: String, for session: Int) -> [String] { words(queue.built(answer, for: session)) }
        func sent(to session: Int) -> [String] { words(queue.sent(to: session)) }
        func drained(_ session: Int) -> [String] { words(queue.drained(session)) }

        private func words(_ outputs: [Queue.Output]) -> [String] {
            outputs.map { output in
                switch output {
                case .build(let request, let session): "build \(request) for \(session)"
                case .send(let answer, let session): "send \(answer) to \(session)"
                case .refuse(let request, let session): "refuse \(request) of \(session)"
                }
            }
        }
    }

    @Test("One answer is built at a time, and the sessions take turns")
    func turns() {
        let bench = Bench()
        #expect(bench.receive("a", of: 1) == ["build a for 1"])
        #expect(bench.receive("b", of: 1) == [])
        #expect(bench.receive("c", of: 2) == [])
        #expect(bench.built("A", for: 1) == ["send A to 1", "build c for 2"])
        #expect(bench.sent(to: 1) == [])
        #expect(bench.built("C", for: 2) == ["send C to 2", "build b for 1"])
        #expect(bench.sent(to: 2) == [])
        #expect(bench.built("B", for: 1) == ["send B to 1"])
        #expect(bench.sent(to: 1) == [])
        #expect(bench.queue.count == 0)
    }

    @Test("The next request of a session is built when the answer before it has room, and others are not delayed")
    func noRoom() {
        let bench = Bench()
        #expect(bench.receive("a", of: 1) == ["build a for 1"])
        #expect(bench.receive("b", of: 1) == [])
        // The session has no room for the answer, so nothing reports that it was sent.
        #expect(bench.built("A", for: 1) == ["send A to 1"])
        #expect(bench.receive("c", of: 2) == ["build c for 2"])
        #expect(bench.built("C", for: 2) == ["send C to 2"])
        #expect(bench.sent(to: 2) == [])
        #expect(bench.drained(1) == ["send A to 1"])
        #expect(bench.sent(to: 1) == ["build b for 1"])
    }

    @Test("A session has at most 4 unanswered requests, and gets each further one back")
    func maximum() {
        #expect(Queue.maximumPerSession == 4)
        let bench = Bench()
        #expect(bench.receive("a", of: 1) == ["build a for 1"])
        for request in ["b", "c", "d"] { #expect(bench.receive(request, of: 1) == []) }
        #expect(bench.receive("e", of: 1) == ["refuse e of 1"])
        #expect(bench.receive("f", of: 2) == [])
        // An answer that waits for room counts too.
        #expect(bench.built("A", for: 1) == ["send A to 1", "build f for 2"])
        #expect(bench.receive("e", of: 1) == ["refuse e of 1"])
        #expect(bench.sent(to: 1) == [])
        #expect(bench.receive("e", of: 1) == [])
    }

    @Test("The requests of a session that ends are forgotten, also the one that is being built")
    func ended() {
        let bench = Bench()
        #expect(bench.receive("a", of: 1) == ["build a for 1"])
        #expect(bench.receive("b", of: 1) == [])
        #expect(bench.receive("c", of: 2) == [])
        bench.queue.ended(1)
        #expect(bench.built("A", for: 1) == ["build c for 2"])
        bench.queue.ended(2)
        #expect(bench.built("C", for: 2) == [])
        #expect(bench.queue.count == 0)
        #expect(bench.receive("d", of: 3) == ["build d for 3"])
    }

    @Test("Room that no answer waits for changes nothing")
    func drainedTwice() {
        let bench = Bench()
        #expect(bench.drained(1) == [])
        #expect(bench.sent(to: 1) == [])
        #expect(bench.receive("a", of: 1) == ["build a for 1"])
        #expect(bench.drained(1) == [])
        #expect(bench.sent(to: 1) == [])
        #expect(bench.built("A", for: 1) == ["send A to 1"])
    }
}
