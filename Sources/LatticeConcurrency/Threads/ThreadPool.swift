import CLatticeThreads
import Synchronization

/// Threads of the library on which tasks run. Swift's own pool has one thread for each core, and tasks that compute can
/// occupy all of them.
///
/// ``ThreadPoolState`` decides which thread runs which job. At most one idle thread of a pool spins for a while, see
/// ``SpinWait``. It receives the next job without a lock. The other idle threads sleep. A thread that has been idle for
/// ``idleTimeout`` ends, unless it is the last one.
package final class ThreadPool: TaskExecutor, @unchecked Sendable {
    // Unchecked: `spinWait` belongs to the thread that has changed `watch` to `busy`, until that thread changes it
    // again. `begun` is atomic. Everything else is constant or behind `core`.

    private struct Core {
        var state: ThreadPoolState<Work>
        var threads: [PoolThread?] = []
    }

    /// The values of `watch`, the state of the one thread that may spin. Any other value is the job that it runs next.
    private enum Watch {
        static let none: UInt = 0
        static let busy: UInt = 1
        /// The thread spins until a job arrives.
        static let looking: UInt = 2
    }

    /// The pool for effects and for the library itself. One thread for each core is enough for short jobs. The others
    /// are for long jobs. Their number is limited as a protection against mistakes; a thread takes about 20 KiB.
    package static let shared = ThreadPool("lattice-effect", width: max(2, cores), threads: 1024)
    /// The pool for effects that compute. More threads than cores would only compete for them.
    package static let computing = ThreadPool("lattice-compute", width: cores, threads: cores, computing: 0)
    /// The pool for effects that block, with as many threads as requests that a disk or server can well handle at once.
    package static let blocking = ThreadPool("lattice-block", width: 64, threads: 64)
    /// The pool that encodes and decodes large states. With one thread, a state that takes seconds would delay all
    /// other features. More than two would take the processors from the event loops. The threads are nice, because a
    /// thread that has used up its share of a processor waits for the next tick. Next to two coding threads this
    /// happened to the main actor and event loops. With a third of the normal share for these two, the slowest 1 % of
    /// cancels during a transfer of 50 MB took 4 ms instead of 4 to 8 ms.
    package static let coding = ThreadPool("lattice-coding", width: 2, threads: 2, computing: 5)

    private static let cores = max(1, SpinWait.processors)
    /// The tick. If a job lasts longer than one to two ticks while others wait, its thread is set aside.
    static let tick: Duration = .milliseconds(1)
    /// The time after which a thread without work ends.
    private static let idleTimeout: Duration = .seconds(5)
    /// The distance between the counters of two threads, so that they do not share a cache line.
    private static let stride = 8

    private let name: String
    private let computing: Int32?
    private let core: Locked<Core>
    private let watch = Atomic<UInt>(Watch.none)
    private var spinWait = SpinWait()
    /// The number of waiting jobs, for threads that read it without the lock.
    private let waiting = Atomic<Int>(0)
    /// The number of jobs that each thread has begun.
    private let begun: UnsafeMutablePointer<Atomic<UInt>>

    /// - Parameters:
    ///   - width: The number of threads that run jobs, as in ``ThreadPoolState/Limits``. So is `threads`.
    ///   - computing: The niceness of threads that only compute, or nil for other threads.
    init(_ name: String, width: Int, threads: Int, computing: Int32? = nil) {
        self.name = name
        self.computing = computing
        core = Locked(Core(state: ThreadPoolState(ThreadPoolState.Limits(width: width, threads: threads))))
        begun = .allocate(capacity: threads * Self.stride)
        for thread in 0..<threads { (begun + thread * Self.stride).initialize(to: Atomic(0)) }
    }

    deinit {
        begun.deallocate()
    }

    // MARK: Any thread

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if change(from: Watch.looking, to: unsafeBitCast(job, to: UInt.self)) { return }
        add(.job(job), isFresh: lattice_is_beginning() != 0)
    }

    /// Creates a task that prefers this pool. Such tasks begin in order, and do not delay running ones.
    package static func begin<Result>(_ make: () -> Result) -> Result {
        lattice_set_beginning(1)
        defer { lattice_set_beginning(0) }
        return make()
    }

    /// Runs `work` on a thread of this pool as soon as one is free.
    /// - Throws: The error of `work`, or `CancellationError` if the task is cancelled before. `work` then never runs.
    package func run<Value>(_ work: () async throws -> Value) async throws -> Value {
        let task = PooledTask(pool: self)
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(task) {
                try Task.checkCancellation()
                return try await work()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func add(_ task: PooledTask) {
        add(.first(task), isFresh: true)
    }

    /// Notes that a waiting task was cancelled.
    func noteCancelled() {
        core.withLock { core in
            core.state.noteCancelled(isCancelled: \.isCancelled)
            publish(core)
        }
    }

    func add(_ job: UnownedJob, of task: PooledTask) {
        add(.later(task, job), isFresh: false)
    }

    private func add(_ work: Work, isFresh: Bool) {
        let (consequence, thread) = core.withLock { core -> (ThreadPoolState<Work>.Consequence, PoolThread?) in
            let consequence = core.state.add(work, isFresh: isFresh, begun: count)
            defer { publish(core) }
            switch consequence {
            case .nothing, .tick: return (consequence, nil)
            case .wake(let number, _): return (consequence, assign(number, core))
            case .start(let number, _): return (consequence, make(number, &core))
            }
        }
        switch consequence {
        case .nothing: break
        case .wake(_, let work): if let thread { wake(thread, work) }
        case .start(let number, let work): if let thread { start(thread, number, work) }
        case .tick: awaitTick()
        }
    }

    private func change(from expected: UInt, to desired: UInt) -> Bool {
        watch.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    private func wake(_ thread: PoolThread, _ work: Work) {
        thread.next = work
        thread.parking.unpark()
    }

    private func start(_ thread: PoolThread, _ number: Int, _ work: Work) {
        // A thread inherits its share of the processors from the thread that starts it.
        if lattice_this_thread_is_nicer() != 0 {
            TimerThread.shared.after(.zero) { self.startFromThisThread(thread, number, work) }
        } else {
            // The timers' thread starts before any thread has a smaller share, and so never inherits one.
            TimerThread.shared.begin()
            startFromThisThread(thread, number, work)
        }
    }

    private func startFromThisThread(_ thread: PoolThread, _ number: Int, _ work: Work) {
        thread.next = work
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: name) { self.run(thread, number) }
        } catch {
            let (work, ticks) = core.withLock { core in
                core.threads[number] = nil
                // The job does not begin on this thread.
                (begun + number * Self.stride).pointee.subtract(1, ordering: .relaxed)
                defer { publish(core) }
                return core.state.didNotStart(number, work)
            }
            if ticks { awaitTick() }
            // The pool has no thread at all, so Swift's own threads must run the job.
            if let job = work?.take()?.job { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        }
    }

    private func awaitTick() {
        TimerThread.shared.after(Self.tick) { self.tick() }
    }

    private func tick() {
        let (tick, woken, started) = core.withLock { core in
            let tick = core.state.tick(begun: count)
            setAside(tick.setAside, core)
            let woken = tick.woken.map { assign($0.thread, core) }
            let started = tick.started.map { make($0.thread, &core) }
            publish(core)
            return (tick, woken, started)
        }
        for (thread, order) in zip(woken, tick.woken) { if let thread { wake(thread, order.job) } }
        for (thread, order) in zip(started, tick.started) { start(thread, order.thread, order.job) }
        if tick.needsNextTick { awaitTick() }
    }

    // MARK: Inside the lock

    private func count(_ thread: Int) -> UInt { (begun + thread * Self.stride).pointee.load(ordering: .relaxed) }

    /// Counts a job that a thread begins. The caller is the thread that assigns the job.
    private func noteBegin(_ thread: Int) {
        (begun + thread * Self.stride).pointee.add(1, ordering: .relaxed)
    }

    private func assign(_ number: Int, _ core: borrowing Core) -> PoolThread? {
        noteBegin(number)
        return core.threads[number]
    }

    private func make(_ number: Int, _ core: inout Core) -> PoolThread {
        noteBegin(number)
        let thread = PoolThread()
        if number < core.threads.count { core.threads[number] = thread } else { core.threads.append(thread) }
        return thread
    }

    private func setAside(_ threads: [Int], _ core: borrowing Core) {
        guard !threads.isEmpty else { return }
        let niceness = ThreadPoolState<Work>.niceness(setAside: core.state.setAsideCount, cores: Self.cores)
        for number in threads { core.threads[number]?.setAside(niceness: niceness) }
        for case let thread? in core.threads where thread.isSetAside.load(ordering: .relaxed) {
            if thread.niceness < niceness { thread.setAside(niceness: niceness) }
        }
    }

    private func publish(_ core: borrowing Core) {
        waiting.store(core.state.waiting, ordering: .relaxed)
    }

    // MARK: A thread

    private func run(_ thread: PoolThread, _ number: Int) {
        core.withLock { _ in thread.begin(computing: computing) }
        while true {
            if let work = thread.next.take() { run(work) }
            next: while true {
                switch nextWork(thread, number) {
                case .work(let work): run(work)
                case .wait: break next
                case .end: return
                }
            }
            guard waitForWork(thread, number) else { return }
        }
    }

    private func run(_ work: Work) {
        guard let (job, task) = work.take() else { return }
        job.runSynchronously(on: task?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor())
    }

    private func nextWork(_ thread: PoolThread, _ number: Int) -> Next {
        if isSetAside(thread) { return core.withLock { takeBack(thread, number, &$0) } }
        if waiting.load(ordering: .relaxed) == 0, let job = spinForJob() {
            noteBegin(number)
            if !isSetAside(thread) { return .work(.job(job)) }
            add(.job(job), isFresh: false)
        }
        // A tick may have set the thread aside in the meantime.
        return core.withLock { core in
            isSetAside(thread) ? takeBack(thread, number, &core) : next(number, &core)
        }
    }

    private func isSetAside(_ thread: PoolThread) -> Bool { thread.isSetAside.load(ordering: .relaxed) }

    private enum Next {
        case work(Work)
        case wait
        case end
    }

    private func next(_ number: Int, _ core: inout Core) -> Next {
        defer { publish(core) }
        guard let work = core.state.next(number) else { return .wait }
        noteBegin(number)
        return .work(work)
    }

    private func takeBack(_ thread: PoolThread, _ number: Int, _ core: inout Core) -> Next {
        // The system does not let a thread become less nice, so the thread ends.
        guard thread.niceness == 0 else {
            core.state.retire(number)
            core.threads[number] = nil
            return .end
        }
        thread.takeBack()
        return next(number, &core)
    }

    /// - Returns: False if no work arrived for `idleTimeout`, so that the thread must end.
    private func waitForWork(_ thread: PoolThread, _ number: Int) -> Bool {
        if thread.parking.park(nanoseconds: Self.idleTimeout.nanoseconds) { return true }
        let hasEnded = core.withLock { core in
            guard core.state.end(number) else { return false }
            core.threads[number] = nil
            return true
        }
        // This is the last thread, or it is being woken at this moment.
        return hasEnded ? false : thread.parking.park()
    }

    /// Spins for a while, unless another thread does.
    /// - Returns: The job that arrived in that time, or nil.
    private func spinForJob() -> UnownedJob? {
        guard SpinWait.isPossible, change(from: Watch.none, to: Watch.busy) else { return nil }
        defer { watch.store(Watch.none, ordering: .releasing) }
        guard spinWait.begins() else { return nil }
        watch.store(Watch.looking, ordering: .releasing)
        let isOver = SpinWait.look { _ in
            watch.load(ordering: .relaxed) != Watch.looking || waiting.load(ordering: .relaxed) > 0
        }
        spinWait.record(wasWorthIt: isOver)
        let next = watch.exchange(Watch.busy, ordering: .acquiringAndReleasing)
        return next == Watch.looking ? nil : unsafeBitCast(next, to: UnownedJob.self)
    }

    // MARK: Load

    /// The current load of the pool.
    package var load: Load {
        core.withLock { core in
            Load(
                threads: core.state.threadCount,
                setAside: core.state.setAsideCount,
                waiting: core.state.waiting,
                longestWait: Self.tick * core.state.longestWait
            )
        }
    }

    /// Whether jobs wait for a thread, and how many jobs have begun since the pool exists.
    package var progress: (isWaiting: Bool, begun: UInt64) {
        core.withLock { core in
            let begun = core.threads.indices.reduce(0) { $0 &+ UInt64(count($1)) }
            return (core.state.isWaiting(isCancelled: \.isCancelled), begun)
        }
    }

    /// A Boolean value that indicates whether a thread of the pool has a job.
    package var isBusy: Bool { core.withLock { $0.state.busyCount > 0 } }

    /// The load of a pool.
    package struct Load: Sendable {
        /// The number of threads.
        package let threads: Int
        /// The number of threads that are set aside.
        package let setAside: Int
        /// The number of waiting jobs.
        package let waiting: Int
        /// The time for which the oldest waiting job has waited.
        package let longestWait: Duration
    }
}
