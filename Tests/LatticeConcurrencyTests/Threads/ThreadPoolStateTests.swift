import Testing

@testable import LatticeConcurrency

struct ThreadPoolStateTests {
    /// A pool whose jobs are names, with the counts that its threads would keep.
    private struct Pool {
        var state: ThreadPoolState<String>
        var counts: [Int: UInt] = [:]

        init(width: Int = 2, threads: Int = 8) {
            state = ThreadPoolState(.init(width: width, threads: threads))
        }

        private func begun(_ thread: Int) -> UInt { counts[thread] ?? 0 }

        mutating func add(_ job: String, isFresh: Bool = true) -> String {
            switch state.add(job, isFresh: isFresh, begun: begun) {
            case .nothing: return "-"
            case .tick: return "tick"
            case .wake(let thread, let job):
                counts[thread, default: 0] += 1
                return "wake \(thread) \(job)"
            case .start(let thread, let job):
                counts[thread, default: 0] += 1
                return "start \(thread) \(job)"
            }
        }

        mutating func add(all jobs: [String]) -> [String] {
            var results: [String] = []
            for job in jobs { results.append(add(job)) }
            return results
        }

        mutating func end(_ thread: Int) -> Bool { state.end(thread) }

        mutating func next(_ thread: Int) -> String? {
            let job = state.next(thread)
            if job != nil { counts[thread, default: 0] += 1 }
            return job
        }

        mutating func tick() -> [String] {
            let tick = state.tick(begun: begun)
            for (thread, _) in tick.woken + tick.started { counts[thread, default: 0] += 1 }
            return tick.setAside.map { "aside \($0)" } + tick.woken.map { "wake \($0.thread) \($0.job)" }
                + tick.started.map { "start \($0.thread) \($0.job)" } + (tick.needsNextTick ? ["tick"] : [])
        }
    }

    @Test("Threads are started on demand, and at most the allowed number of jobs runs at once")
    func threadsAreStarted() {
        var pool = Pool()
        #expect(pool.add("a") == "start 0 a")
        #expect(pool.next(0) == nil)
        #expect(pool.add("b") == "wake 0 b")
        #expect(pool.add("c") == "start 1 c")
        #expect(pool.add("d") == "tick")
        #expect(pool.add("e") == "-")
        #expect(pool.next(1) == "d")
        #expect(pool.next(0) == "e")
        #expect(pool.tick() == ["tick"])
        #expect(pool.next(0) == nil)
        #expect(pool.next(1) == nil)
        #expect(pool.tick() == [])
        // The one with the warmest memory.
        #expect(pool.add("f") == "wake 1 f")
    }

    @Test("A job that has not ended between two ticks has its thread set aside")
    func longJobs() {
        var pool = Pool()
        _ = (pool.add("long 1"), pool.add("long 2"))
        #expect(pool.add(all: ["long 3", "long 4", "short"]) == ["tick", "-", "-"])
        #expect(pool.tick() == ["aside 0", "aside 1", "start 2 long 3", "start 3 long 4", "tick"])
        #expect(pool.state.longestWait == 1)
        #expect(pool.tick() == ["aside 2", "aside 3", "start 4 short", "tick"])
        #expect(pool.state.setAsideCount == 4)
        #expect(pool.next(4) == nil)
        // A later job does not wait at all.
        #expect(pool.add("later") == "wake 4 later")
        #expect(pool.tick() == ["tick"])
        #expect(pool.next(4) == nil)
        #expect(pool.tick() == [])
    }

    @Test("Jobs that end between ticks are waited for, however many there are")
    func shortJobs() {
        var pool = Pool()
        for number in 0..<100 { _ = pool.add("\(number)") }
        for _ in 0..<20 {
            for thread in 0..<2 { for _ in 0..<2 { #expect(pool.next(thread) != nil) } }
            #expect(pool.tick() == ["tick"])
        }
        #expect(pool.state.threadCount == 2)
    }

    @Test("Resumed jobs and new jobs take turns, each kind in order")
    func lanes() {
        var pool = Pool(width: 1)
        _ = pool.add("running")
        for number in 1...3 { _ = pool.add("begins \(number)") }
        for number in 1...2 { _ = pool.add("waited \(number)", isFresh: false) }
        var order: [String?] = []
        for _ in 0..<6 { order.append(pool.next(0)) }
        #expect(order == ["begins 1", "waited 1", "begins 2", "waited 2", "begins 3", nil])
    }

    @Test("The number of threads is bounded, and beyond it jobs wait in order")
    func bound() {
        var pool = Pool(width: 1, threads: 3)
        for number in 0..<5 { _ = pool.add("\(number)") }
        #expect(pool.tick() == ["aside 0", "start 1 1", "tick"])
        #expect(pool.tick() == ["aside 1", "start 2 2", "tick"])
        #expect(pool.tick() == ["tick"])
        #expect(pool.tick() == ["tick"])
        #expect(pool.state.longestWait == 4)
        // A thread that was set aside has no slot while another thread replaces it, but takes a free slot.
        #expect(pool.next(0) == nil)
        #expect(pool.tick() == ["aside 2", "wake 0 3", "tick"])
        #expect(pool.next(0) == "4")
        #expect(pool.next(0) == nil)
        #expect(pool.next(1) == nil)
        #expect(pool.next(2) == nil)
        #expect(pool.state.setAsideCount == 0)
    }

    @Test("Cancelled jobs take no more room than waiting jobs")
    func voids() {
        var pool = Pool(width: 1, threads: 1)
        _ = pool.add("running")
        for number in 0..<100 { _ = pool.add("\(number)", isFresh: number % 2 == 0) }
        for _ in 0..<63 { pool.state.noteCancelled { $0.hasPrefix("1") } }
        #expect(pool.state.waiting == 100)
        pool.state.noteCancelled { $0.hasPrefix("1") }
        #expect(pool.state.waiting == 89)
        #expect([pool.next(0), pool.next(0), pool.next(0), pool.next(0)] == ["0", "3", "2", "5"])
    }

    @Test("A pool with one thread per running job sets none aside and needs no ticks")
    func fixed() {
        var pool = Pool(width: 2, threads: 2)
        #expect(pool.add(all: ["a", "b", "c", "d"]) == ["start 0 a", "start 1 b", "-", "-"])
        #expect(pool.next(1) == "c")
        #expect(pool.next(0) == "d")
    }

    @Test("Idle threads end except for the last one, and so do threads with lowered priority")
    func ends() {
        var pool = Pool()
        _ = (pool.add("a"), pool.add("b"))
        #expect(pool.end(0) == false)
        #expect(pool.next(0) == nil)
        #expect(pool.end(0) == true)
        #expect(pool.next(1) == nil)
        #expect(pool.end(1) == false)
        #expect(pool.state.threadCount == 1 && pool.state.busyCount == 0)
        #expect(pool.add("c") == "wake 1 c")
        _ = (pool.add("d"), pool.add("e"))
        _ = pool.tick()
        #expect(pool.state.busyCount == 3)
        pool.state.retire(0)
        #expect(pool.state.threadCount == 2)
        #expect(pool.next(1) == nil)
        #expect(pool.add("f") == "wake 1 f")
    }

    @Test("A thread that the system refuses is retried, and without any thread the job runs elsewhere")
    func noThread() {
        var pool = Pool()
        #expect(pool.add("a") == "start 0 a")
        let (job, ticks) = pool.state.didNotStart(0, "a")
        #expect(job == "a" && !ticks)
        #expect(pool.add("b") == "start 0 b")
        #expect(pool.add("c") == "start 1 c")
        let (none, awaitsTick) = pool.state.didNotStart(1, "c")
        #expect(none == nil && awaitsTick)
        #expect(pool.tick() == ["start 1 c", "tick"])
    }

    @Test(
        "All computing threads together weigh as much as one thread on each core",
        arguments: [(1, 0), (2, 0), (4, 4), (8, 7), (64, 16), (512, 19), (1024, 19)] as [(Int, Int32)]
    )
    func niceness(setAside: Int, niceness: Int32) {
        #expect(ThreadPoolState<String>.niceness(setAside: setAside, cores: 2) == niceness)
    }
}
