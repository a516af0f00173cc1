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
                + tick.started.map { "start \($0.thread) \($0.job)" } + (tick.goesOn ? ["tick"] : [])
        }
    }

    @Test("Threads are started when they are needed, and no more than run jobs at once")
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
        // What comes later does not wait at all.
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

    @Test("Who has waited and who begins have their turns alternately, each in order")
    func lanes() {
        var pool = Pool(width: 1)
        _ = pool.add("running")
        for number in 1...3 { _ = pool.add("begins \(number)") }
        for number in 1...2 { _ = pool.add("waited \(number)", isFresh: false) }
        var order: [String?] = []
        for _ in 0..<6 { order.append(pool.next(0)) }
        #expect(order == ["begins 1", "waited 1", "begins 2", "waited 2", "begins 3", nil])
    }

    @Test("The number of threads is bounded: then jobs wait in order for one to end")
    func bound() {
        var pool = Pool(width: 1, threads: 3)
        for number in 0..<5 { _ = pool.add("\(number)") }
        #expect(pool.tick() == ["aside 0", "start 1 1", "tick"])
        #expect(pool.tick() == ["aside 1", "start 2 2", "tick"])
        #expect(pool.tick() == ["tick"])
        #expect(pool.tick() == ["tick"])
        #expect(pool.state.longestWait == 4)
        // One that was set aside has no place while another runs in its stead, but takes one that is free.
        #expect(pool.next(0) == nil)
        #expect(pool.tick() == ["aside 2", "wake 0 3", "tick"])
        #expect(pool.next(0) == "4")
        #expect(pool.next(0) == nil)
        #expect(pool.next(1) == nil)
        #expect(pool.next(2) == nil)
        #expect(pool.state.setAsideCount == 0)
    }

    @Test("What was cancelled takes no more room than what waits")
    func voids() {
        var pool = Pool(width: 1, threads: 1)
        _ = pool.add("running")
        for number in 0..<100 { _ = pool.add("\(number)", isFresh: number % 2 == 0) }
        for _ in 0..<63 { pool.state.becameVoid { $0.hasPrefix("1") } }
        #expect(pool.state.waiting == 100)
        pool.state.becameVoid { $0.hasPrefix("1") }
        #expect(pool.state.waiting == 89)
        #expect([pool.next(0), pool.next(0), pool.next(0), pool.next(0)] == ["0", "3", "2", "5"])
    }

    @Test("A pool with as many threads as run at once sets none aside, and needs no ticks")
    func fixed() {
        var pool = Pool(width: 2, threads: 2)
        #expect(pool.add(all: ["a", "b", "c", "d"]) == ["start 0 a", "start 1 b", "-", "-"])
        #expect(pool.next(1) == "c")
        #expect(pool.next(0) == "d")
    }

    @Test("Threads without work end but for the last, and so do those that were made nice")
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

    @Test("A thread that the system does not give is tried again; without any the job goes elsewhere")
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
        "All that compute weigh as much together as one thread on each core",
        arguments: [(1, 0), (2, 0), (4, 4), (8, 7), (64, 16), (512, 19), (1024, 19)] as [(Int, Int32)]
    )
    func niceness(setAside: Int, niceness: Int32) {
        #expect(ThreadPoolState<String>.niceness(setAside: setAside, cores: 2) == niceness)
    }
}
