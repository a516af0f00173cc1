import CLatticeThreads
import Synchronization

/// Threads of our own that tasks run on, so that these need none of Swift's: of those there are as many as cores, and
/// tasks that compute keep them.
///
/// Which thread runs what is said by ``ThreadPoolState``; here are the threads. A thread that has nothing to do stays
/// awake for a while, and is handed the next job without a lock, see ``SpinWait``; then it waits, and when nothing has
/// come for ``keepsIdle`` it ends, unless it is the last.
package final class ThreadPool: TaskExecutor, @unchecked Sendable {
    // Unchecked: `spinWait` belongs to the thread that has changed `watch` to `busy`, until that changes it again;
    // `begun` is atomic; everything else is constant or behind `core`.

    /// What a thread runs next.
    private enum Work: Sendable {
        case job(UnownedJob)
        /// The first job of a task that waits for its turn, unless it is cancelled before.
        case turn(PooledTask)
        /// A later one.
        case part(PooledTask, UnownedJob)

        /// The job, taken over from whoever else may run it; nil if somebody has.
        func take() -> (job: UnownedJob, turn: PooledTask?)? {
            switch self {
            case .job(let job): (job, nil)
            case .turn(let turn): turn.take().map { ($0, turn) }
            case .part(let turn, let job): (job, turn)
            }
        }

        /// Whether it will do nothing when its turn comes.
        var isVoid: Bool { if case .turn(let turn) = self { turn.isCancelled } else { false } }
    }

    private final class PoolThread: @unchecked Sendable {
        // Unchecked: `niceness` and `number` are touched inside the lock of the pool, `next` by whoever wakes the
        // thread, before that.
        let parking = Parking()
        let isSetAside = Atomic(false)
        var niceness: Int32 = 0
        /// The system's; 0 as long as it has not begun.
        private var number: Int32 = 0
        var next: Work?

        /// On the thread itself.
        /// - Parameter computing: how nice it is, if all that it does is to compute.
        func begin(computing: Int32?) {
            number = lattice_thread_number()
            if let computing {
                lattice_thread_is_patient(number, computing)
            } else if isSetAside.load(ordering: .relaxed) {
                lattice_thread_computes(number, niceness)
            } else {
                lattice_thread_is_brief(number)
            }
        }

        func setAside(niceness: Int32) {
            isSetAside.store(true, ordering: .relaxed)
            self.niceness = max(niceness, self.niceness)
            if number != 0 { lattice_thread_computes(number, niceness) }
        }

        func takeBack() {
            isSetAside.store(false, ordering: .relaxed)
            lattice_thread_is_brief(number)
        }
    }

    private struct Core {
        var state: ThreadPoolState<Work>
        var threads: [PoolThread?] = []
    }

    /// What the one thread does that may stay awake. Any other value is the job that it is to run next.
    private enum Watch {
        static let none: UInt = 0
        static let busy: UInt = 1
        /// It looks out for a job.
        static let looking: UInt = 2
    }

    /// Effects, and what the library itself has to do. One thread for each core is enough for what ends soon; the
    /// others are for what does not, and against mistakes there is a limit: a thread takes about 20 KiB.
    package static let shared = ThreadPool("lattice-effect", width: max(2, cores), threads: 1024)
    /// What is said to compute: more threads than cores would only take turns.
    package static let computing = ThreadPool("lattice-compute", width: cores, threads: cores, computing: 0)
    /// What is said to block: as many as one disk or server may well be asked at once.
    package static let blocking = ThreadPool("lattice-block", width: 64, threads: 64)
    /// Large states on their way between bytes and values: with one thread, a state that takes seconds would hold up
    /// those of all other features; more would take the processors from the event loops.
    ///
    /// Nice: whoever has had its share of a processor waits for the next tick, and beside two threads that code the
    /// main actor and event loops have had theirs now and then. With a third of the usual share for those two the
    /// slowest hundredth of cancels while 50 MB are on the way took 4 ms in place of 4 to 8.
    package static let coding = ThreadPool("lattice-coding", width: 2, threads: 2, computing: 5)

    private static let cores = max(1, SpinWait.processors)
    /// A job that lasts longer than one to two of these, while others wait, has its thread set aside.
    static let tick: Duration = .milliseconds(1)
    /// How long a thread without work is kept.
    private static let keepsIdle: Duration = .seconds(5)
    /// Counters of two threads are not in one line of a cache.
    private static let stride = 8

    private let name: String
    private let computing: Int32?
    private let core: Locked<Core>
    private let watch = Atomic<UInt>(Watch.none)
    private var spinWait = SpinWait()
    /// How many jobs wait, for threads that look without the lock.
    private let waiting = Atomic<Int>(0)
    /// How many jobs each thread has begun.
    private let begun: UnsafeMutablePointer<Atomic<UInt>>

    /// - Parameters:
    ///   - width: see ``ThreadPoolState/Limits``, as `threads`.
    ///   - computing: How nice threads are of which all compute; nil for others.
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

    /// Makes a task that prefers this pool. Tasks made here begin in order, and hold up none that has begun.
    package static func begin<Result>(_ make: () -> Result) -> Result {
        lattice_set_beginning(1)
        defer { lattice_set_beginning(0) }
        return make()
    }

    /// Runs `work` on a thread of this pool as soon as it is its turn.
    /// - Throws: what `work` throws, and `CancellationError` if the task is cancelled before: then `work` never runs.
    package func run<Value>(_ work: () async throws -> Value) async throws -> Value {
        let turn = PooledTask(pool: self)
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(turn) {
                try Task.checkCancellation()
                return try await work()
            }
        } onCancel: {
            turn.cancel()
        }
    }

    func add(_ turn: PooledTask) {
        add(.turn(turn), isFresh: true)
    }

    /// A turn that waits was cancelled.
    func becameVoid() {
        core.withLock { core in
            core.state.becameVoid(isVoid: \.isVoid)
            publish(core)
        }
    }

    func add(_ job: UnownedJob, of turn: PooledTask) {
        add(.part(turn, job), isFresh: false)
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
        if lattice_this_thread_is_nicer() != 0 {
            TimerThread.shared.after(.zero) { self.start(thread, number, work) }
            return
        }
        thread.next = work
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: name) { self.run(thread, number) }
        } catch {
            let (work, ticks) = core.withLock { core in
                core.threads[number] = nil
                // Nobody begins it.
                (begun + number * Self.stride).pointee.subtract(1, ordering: .relaxed)
                defer { publish(core) }
                return core.state.didNotStart(number, work)
            }
            if ticks { awaitTick() }
            // Not one thread is to be had: Swift's own have to do.
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
        if tick.goesOn { awaitTick() }
    }

    // MARK: Inside the lock

    private func count(_ thread: Int) -> UInt { (begun + thread * Self.stride).pointee.load(ordering: .relaxed) }

    /// The thread begins a job. By whoever gives it one.
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
        guard let (job, turn) = work.take() else { return }
        job.runSynchronously(on: turn?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor())
    }

    private func nextWork(_ thread: PoolThread, _ number: Int) -> Next {
        if isSetAside(thread) { return core.withLock { takeBack(thread, number, &$0) } }
        if waiting.load(ordering: .relaxed) == 0, let job = lookOut() {
            noteBegin(number)
            if !isSetAside(thread) { return .work(.job(job)) }
            add(.job(job), isFresh: false)
        }
        // A tick may have come between.
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
        // The system lets nobody become less nice.
        guard thread.niceness == 0 else {
            core.state.retire(number)
            core.threads[number] = nil
            return .end
        }
        thread.takeBack()
        return next(number, &core)
    }

    /// - Returns: false if nothing has come for so long that the thread is to end.
    private func waitForWork(_ thread: PoolThread, _ number: Int) -> Bool {
        if thread.parking.park(nanoseconds: Self.keepsIdle.nanoseconds) { return true }
        let hasEnded = core.withLock { core in
            guard core.state.end(number) else { return false }
            core.threads[number] = nil
            return true
        }
        // The last one, or woken in this moment, with the call on its way.
        return hasEnded ? false : thread.parking.park()
    }

    /// Stays awake for a while, if no other thread does.
    /// - Returns: the job that came in that time.
    private func lookOut() -> UnownedJob? {
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

    // MARK: What is known of it

    /// How busy it is.
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

    /// Whether jobs wait for a thread, and how many have begun since there is the pool.
    package var progress: (isWaiting: Bool, begun: UInt64) {
        core.withLock { core in
            let begun = core.threads.indices.reduce(0) { $0 &+ UInt64(count($1)) }
            return (core.state.isWaiting(isVoid: \.isVoid), begun)
        }
    }

    /// Whether a thread of it has a job.
    package var isBusy: Bool { core.withLock { $0.state.busyCount > 0 } }

    package struct Load: Sendable {
        package let threads: Int
        package let setAside: Int
        package let waiting: Int
        package let longestWait: Duration
    }
}
