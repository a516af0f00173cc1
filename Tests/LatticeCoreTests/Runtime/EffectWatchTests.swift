import Dispatch
import Testing

@testable import LatticeConcurrency
@testable import LatticeCore

@Suite(.timeLimit(.minutes(10)))
struct EffectWatchTests {
    /// A look at a queue: its second, the state that it finds, and whether that is a problem.
    struct Look {
        let second: Int
        let isWaiting: Bool
        let begun: UInt64
        let isProblem: Bool

        init(_ second: Int, _ isWaiting: Bool, _ begun: UInt64, _ isProblem: Bool) {
            (self.second, self.isWaiting, self.begun, self.isProblem) = (second, isWaiting, begun, isProblem)
        }
    }

    @Test(
        "Effects that wait too long while none begins are a problem",
        arguments: [
            // Busy threads are no problem while no effect waits.
            [Look(0, false, 3, false), Look(9, false, 3, false), Look(18, false, 3, false)],
            // The problem lasts from the first look that finds it to the one that finds that another effect has begun.
            [Look(0, false, 3, false), Look(10, true, 3, false), Look(14, true, 3, false), Look(15, true, 3, true)],
            [Look(0, true, 3, false), Look(5, true, 3, true), Look(9, true, 4, false), Look(13, true, 4, false)],
            // However long the queue is, it moves.
            [Look(0, true, 3, false), Look(4, true, 5, false), Look(8, true, 6, false), Look(12, true, 7, false)],
            // The waiting effect is gone without having begun.
            [Look(0, true, 3, false), Look(5, true, 3, true), Look(6, false, 3, false), Look(7, true, 3, false)],
        ]
    )
    func looks(looks: [Look]) {
        let found = Shared((false, UInt64(0)))
        var watch = EffectWatch(of: [.init("tests") { found.value }, .init("others") { (false, 0) }])
        let start = ContinuousClock.now
        for look in looks {
            found.update { $0 = (look.isWaiting, look.begun) }
            let problem = watch.problem(at: start + .seconds(look.second))
            let sentence =
                "tests wait for a thread, and none has started for 5 seconds because others occupy all threads"
            #expect(problem == (look.isProblem ? sentence : nil), "at \(look.second)")
        }
    }

    @Test("Several queues with a problem are named together")
    func several() {
        let queues = ["tests", "others"].map { EffectWatch.Queue($0) { (true, 1) } }
        var watch = EffectWatch(of: queues)
        let start = ContinuousClock.now
        #expect(watch.problem(at: start) == nil)
        #expect(
            watch.problem(at: start + EffectWatch.stallTimeout)?.hasPrefix("tests and others wait for a thread") == true
        )
    }

    @Test("A pool reports its waiting work, except for work that was cancelled meanwhile")
    func pool() async {
        let pool = ThreadPool("test", width: 1, threads: 1)
        #expect(pool.progress == (false, 0))
        let release = DispatchSemaphore(value: 0)
        let began = Gate()
        let taking = Task(executorPreference: pool) {
            began.open()
            Self.wait(for: release)
        }
        await began.wait()
        #expect(pool.progress == (false, 1))
        let waiting = Task { try await pool.run {} }
        while !pool.progress.isWaiting { await Task.yield() }
        #expect(pool.progress == (true, 1))
        waiting.cancel()
        _ = await waiting.result
        #expect(pool.progress == (false, 1))
        release.signal()
        await taking.value
    }

    /// Blocks the thread. This is a synchronous function, because asynchronous code must not call `wait()`.
    private static func wait(for release: DispatchSemaphore) { release.wait() }
}
