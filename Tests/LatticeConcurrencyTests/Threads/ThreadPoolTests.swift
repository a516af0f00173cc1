import CLatticeThreads
import Synchronization
import Testing

@testable import LatticeConcurrency

/// Tests pools with real threads that compute. The tests assert the order of events, not their times. They run in
/// separate processes, so that they and other tests do not delay each other.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ThreadPoolTests {
    /// Jobs that compute until they are stopped.
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

    @Test("Short work runs beside computing work", arguments: [8, 64])
    func besideComputing(count: Int) async {
        await #expect(processExitsWith: .success) { [count] in
            let pool = ThreadPool("test", width: 2, threads: 256)
            let load = Load(count, on: pool)
            for _ in 0..<10 { await ThreadPool.begin { Task(executorPreference: pool) {} }.value }
            #expect(pool.load.threads > count)
            await load.stop()
        }
    }

    @Test("When all threads are busy, the next job waits and the load shows it")
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

    @Test("A thread with a smaller share of the processors may be the first to use timers and pools")
    func firstUseByANiceThread() async {
        await #expect(processExitsWith: .success) {
            await withCheckedContinuation { hasRun in
                do throws(SystemThread.NoRoom) {
                    try SystemThread.start(name: "nice") {
                        lattice_thread_computes(lattice_thread_number(), 5)
                        let pool = ThreadPool("test", width: 1, threads: 1)
                        TimerThread.shared.after(.zero) {}
                        _ = ThreadPool.begin { Task(executorPreference: pool) { hasRun.resume() } }
                    }
                } catch {
                    Issue.record(error)
                    hasRun.resume()
                }
            }
        }
    }

    @Test("Work that is cancelled while it waits never runs, and is not waited for")
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

    @Test("Work in a pool keeps its task-local values, and returns to the pool after each suspension")
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
