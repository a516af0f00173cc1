import LatticeConcurrency
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WaitersTests {
    @Test("Each waiter is taken once, by its ID or with all others", arguments: [1, 2, 3, 20])
    func takeOneThenAll(count: Int) async {
        let bench = Bench()
        let ids = (0..<count).map { _ in bench.waiters.withLock { $0.makeID() } }
        await withTaskGroup(of: Int.self) { group in
            for id in ids { group.addTask { await bench.wait(id) } }
            await bench.waitUntilAdded(count)
            #expect(bench.waiters.withLock { !$0.isEmpty })
            let first = bench.waiters.withLock { $0.take(ids[0]) }
            #expect(first != nil)
            #expect(bench.waiters.withLock { $0.take(ids[0]) } == nil)
            first?.resume(returning: 1)
            bench.waiters.withLock { $0.takeAll() }.resume(returning: 2)
            #expect(bench.waiters.withLock { $0.isEmpty })
            #expect(await group.reduce(0, +) == 1 + 2 * (count - 1))
        }
    }

    @Test("A waiter that was cancelled before is not added")
    func cancelledBefore() async {
        let bench = Bench()
        let id = bench.waiters.withLock { $0.makeID() }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await bench.wait(id)
        }
        task.cancel()
        #expect(await task.value == 0)
        #expect(bench.waiters.withLock { $0.isEmpty })
    }

    @Test("Waiters without an ID are taken together")
    func unnamed() async {
        let bench = Bench()
        async let value = bench.wait()
        await bench.waitUntilAdded(1)
        bench.waiters.withLock { $0.takeAll() }.resume(returning: 5)
        #expect(await value == 5)
    }
}

private final class Bench: Sendable {
    let waiters = Locked(Waiters<Int>())
    private let added = Locked(0)

    /// Waits, or returns 0 if the waiter was not added.
    func wait(_ id: Waiters<Int>.ID) async -> Int {
        await withCheckedContinuation { continuation in
            if !add({ $0.add(continuation, as: id) }) { continuation.resume(returning: 0) }
        }
    }

    func wait() async -> Int {
        await withCheckedContinuation { continuation in
            add {
                $0.add(continuation)
                return true
            }
        }
    }

    @discardableResult
    private func add(_ body: (inout Waiters<Int>) -> Bool) -> Bool {
        defer { added.withLock { $0 += 1 } }
        return waiters.withLock { body(&$0) }
    }

    func waitUntilAdded(_ count: Int) async {
        while added.withLock({ $0 < count }) { await Task.yield() }
    }
}
