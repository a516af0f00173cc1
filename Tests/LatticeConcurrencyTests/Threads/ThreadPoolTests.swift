import Synchronization
import Testing

@testable import LatticeConcurrency

/// With real threads that really compute: what comes first is asserted, not when. They do it in processes of their own,
/// so that other tests do not wait for them, nor they for others.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ThreadPoolTests {
    /// Computes until told to stop.
    private final class Load: Sendable {
        let isOver = Atomic(false)
        let tasks = Locked<[Task<Void, Never>]>([])

        init(_ count: Int, on pool: ThreadPool) {
            for _ in 0..<count {
                let task = ThreadPool.begin {
                    Task(executorPreference: pool) { while !self.isOver.load(ordering: .relaxed) {} }
                }
                tasks.withLock { $0.append(task) }
            }
        }

        func stop() async {
            isOver.store(true, ordering: .relaxed)
            for task in tasks.withLock({ $0 }) { await task.value }
        }
    }

    @Test("What ends soon runs beside what computes", arguments: [8, 64])
    func besideComputing(count: Int) async {
        await #expect(processExitsWith: .success) { [count] in
            let pool = ThreadPool("test", width: 2, threads: 256)
            let load = Load(count, on: pool)
            for _ in 0..<10 { await ThreadPool.begin { Task(executorPreference: pool) {} }.value }
            #expect(pool.load.threads > count)
            await load.stop()
        }
    }

    @Test("With all threads at work the next job waits, and that is seen")
    func bound() async {
        await #expect(processExitsWith: .success) {
            let pool = ThreadPool("test", width: 1, threads: 3)
            let load = Load(3, on: pool)
            let last = ThreadPool.begin { Task(executorPreference: pool) {} }
            while pool.load.longestWait < .milliseconds(20) { await Task.yield() }
            #expect(pool.load.threads == 3)
            #expect(pool.load.waiting == 1)
            await load.stop()
            await last.value
        }
    }

    @Test("Work that waits for its turn and is cancelled never runs, and is not waited for")
    func cancelledTurns() async {
        await #expect(processExitsWith: .success) {
            let pool = ThreadPool("test", width: 1, threads: 1)
            let load = Load(1, on: pool)
            let tasks = (0..<1000).map { _ in
                Task { try await pool.run { Issue.record("It was cancelled before") } }
            }
            for task in tasks { task.cancel() }
            for task in tasks {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            let isOver = load.isOver.load(ordering: .relaxed)
            #expect(!isOver)
            #expect(pool.load.waiting < 128)
            await load.stop()
            #expect((try? await pool.run { 1 }) == 1)
        }
    }

    @Test("Work in a pool keeps what its task has, and comes back behind its steps")
    func run() async throws {
        let pool = ThreadPool("test", width: 2, threads: 2)
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await Name.$current.withValue(number) {
                        try await pool.run {
                            await Task.yield()
                            async let child = Name.current
                            return await child
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sums == 4950)
        #expect(pool.load.threads <= 2)
        await #expect(throws: Failure.self) { try await pool.run { throw Failure() } }
    }

    private enum Name {
        @TaskLocal static var current = -1
    }

    private struct Failure: Error {}
}
