import DequeModule

/// The threads of a pool and the jobs that wait for them, as a state machine.
///
/// The rule: `width` threads run jobs. If a job has not ended between two ticks, it computes or blocks. Its thread is
/// then set aside. It no longer counts, and another thread takes its place. A short job therefore waits for other short
/// jobs, and for `1/width` of a tick for each long job before it. Ticks start when a job waits, and end when no job
/// runs.
///
/// The state machine does not start or wake threads. It tells its owner which ones to start or wake. Threads are
/// identified by small numbers.
struct ThreadPoolState<Job> {
    struct Limits: Sendable {
        /// The number of threads that run jobs, not counting those that were set aside.
        let width: Int
        /// The maximum number of threads. If it equals `width`, no thread is set aside.
        let threads: Int
    }

    /// A waiting job, and the number of ticks before it was added.
    private struct Waiting {
        let job: Job
        let tick: Int
    }

    private enum Thread: Equatable {
        case idle
        /// The thread runs jobs. `seen` is the number of jobs that it had begun at the last tick.
        case running(seen: UInt)
        /// The thread runs a job that has lasted too long.
        case setAside
        /// The number is not used by a thread.
        case ended
    }

    /// The action that the owner takes for an added job, after it has left the lock.
    enum Consequence {
        case nothing
        /// Wakes a thread, which runs this job.
        case wake(Int, Job)
        /// Starts a thread with this number, which runs this job.
        case start(Int, Job)
        /// Starts the ticks.
        case tick
    }

    /// The actions that the owner takes after a tick.
    struct Tick {
        var setAside: [Int] = []
        var woken: [(thread: Int, job: Job)] = []
        var started: [(thread: Int, job: Job)] = []
        /// A Boolean value that indicates whether another tick must follow.
        var needsNextTick = false
    }

    /// The minimum number of cancelled jobs before they are removed.
    private static var minimumCancelled: Int { 64 }

    private let limits: Limits
    /// The waiting jobs of tasks that have run before.
    private var resumed = Deque<Waiting>()
    /// The waiting jobs of tasks that begin.
    private var fresh = Deque<Waiting>()
    private var isFreshNext = false
    private var threads: [Thread] = []
    /// The idle threads. The last one is used next, because its memory is most likely in the cache.
    private var idle: [Int] = []
    private var free: [Int] = []
    private var running = 0
    private var ticks = 0
    private var isTicking = false
    /// The number of waiting jobs that were cancelled since the last removal.
    private var cancelledCount = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    // MARK: Jobs

    /// The number of waiting jobs.
    var waiting: Int { resumed.count + fresh.count }
    /// The number of threads.
    var threadCount: Int { threads.count - free.count }
    /// The number of threads that are set aside.
    var setAsideCount: Int { threadCount - idle.count - running }

    /// The number of ticks for which the oldest waiting job has waited.
    var longestWait: Int {
        ticks - min(resumed.first?.tick ?? ticks, fresh.first?.tick ?? ticks)
    }

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - isFresh: Whether the job is the first one of its task.
    ///   - begun: A function that returns the number of jobs that a thread has begun.
    mutating func add(_ job: Job, isFresh: Bool, begun: (Int) -> UInt) -> Consequence {
        if waiting == 0 {
            if let thread = wake() { return .wake(thread, job) }
            if let thread = make() { return .start(thread, job) }
        }
        let job = Waiting(job: job, tick: ticks)
        if isFresh { fresh.append(job) } else { resumed.append(job) }
        guard !isTicking, limits.threads > limits.width else { return .nothing }
        isTicking = true
        sample(begun)
        return .tick
    }

    /// Notes that a thread has ended a job.
    ///
    /// - Returns: The next job of the thread, or nil if there is none. In this case the thread is idle.
    mutating func next(_ thread: Int) -> Job? {
        if case .running = threads[thread] { running -= 1 }
        if running < limits.width, let job = take() {
            run(thread)
            return job
        }
        threads[thread] = .idle
        idle.append(thread)
        return nil
    }

    /// The number of threads that are not idle.
    var busyCount: Int { threadCount - idle.count }

    /// Ends a thread that was idle for the maximum time.
    ///
    /// - Returns: False if the thread was woken in the meantime, or if it is the last one. The last thread stays
    ///   because the system may not provide another one when it is needed.
    mutating func end(_ thread: Int) -> Bool {
        guard case .idle = threads[thread], threadCount > 1 else { return false }
        idle.removeAll { $0 == thread }
        forget(thread)
        return true
    }

    /// Ends a thread that has ended a job and cannot be used for another one.
    mutating func retire(_ thread: Int) {
        if case .running = threads[thread] { running -= 1 }
        forget(thread)
    }

    private mutating func forget(_ thread: Int) {
        threads[thread] = .ended
        free.append(thread)
    }

    /// Notes that a waiting job was cancelled.
    ///
    /// If half of the waiting jobs are cancelled, they are removed, so that cancelled jobs take no more memory than the
    /// others.
    mutating func noteCancelled(isCancelled: (Job) -> Bool) {
        cancelledCount += 1
        guard cancelledCount >= max(Self.minimumCancelled, waiting / 2) else { return }
        cancelledCount = 0
        fresh.removeAll { isCancelled($0.job) }
        resumed.removeAll { isCancelled($0.job) }
    }

    /// Notes that a thread could not be started. Its job waits for another thread.
    ///
    /// - Returns: The job if the pool has no threads left, and a Boolean value that says whether ticks must start.
    mutating func didNotStart(_ thread: Int, _ job: Job) -> (job: Job?, ticks: Bool) {
        // A tick may have set the thread aside in the meantime.
        if case .running = threads[thread] { running -= 1 }
        forget(thread)
        guard threadCount > 0 else {
            defer { isTicking = isTicking || waiting > 0 }
            return (job, waiting > 0 && !isTicking)
        }
        resumed.prepend(Waiting(job: job, tick: ticks))
        defer { isTicking = true }
        return (nil, !isTicking)
    }

    /// Removes the next job, alternately of a task that has run before and of a task that begins, so that neither kind
    /// delays the other.
    private mutating func take() -> Job? {
        isFreshNext.toggle()
        return (isFreshNext ? fresh.popFirst() ?? resumed.popFirst() : resumed.popFirst() ?? fresh.popFirst())?.job
    }

    /// Returns a Boolean value that indicates whether jobs wait that are not cancelled.
    func isWaiting(isCancelled: (Job) -> Bool) -> Bool {
        fresh.contains { !isCancelled($0.job) } || resumed.contains { !isCancelled($0.job) }
    }

    // MARK: Threads

    private mutating func wake() -> Int? {
        guard running < limits.width, let thread = idle.popLast() else { return nil }
        run(thread)
        return thread
    }

    private mutating func make() -> Int? {
        guard running < limits.width, threadCount < limits.threads else { return nil }
        if free.isEmpty {
            free = [threads.count]
            threads.append(.ended)
        }
        let thread = free.removeLast()
        run(thread)
        return thread
    }

    /// Notes that a thread begins a job, which no tick has seen.
    private mutating func run(_ thread: Int) {
        running += 1
        threads[thread] = .running(seen: 0)
    }

    // MARK: Ticks

    /// Handles a tick: sets the threads aside whose jobs have not ended since the last tick.
    mutating func tick(begun: (Int) -> UInt) -> Tick {
        ticks += 1
        var result = Tick()
        let room = limits.threads > limits.width ? limits.threads - threadCount + idle.count : 0
        for thread in threads.indices where result.setAside.count < room {
            guard case .running(let seen) = threads[thread], seen == begun(thread) else { continue }
            threads[thread] = .setAside
            running -= 1
            result.setAside.append(thread)
        }
        sample(begun)
        while waiting > 0 {
            let woken = wake()
            guard let thread = woken ?? make(), let job = take() else { break }
            // The thread begins the job now, and its counter will show this in a moment.
            threads[thread] = .running(seen: begun(thread) + 1)
            if woken != nil { result.woken.append((thread, job)) } else { result.started.append((thread, job)) }
        }
        isTicking = waiting > 0 || (running > 0 && room > result.setAside.count)
        result.needsNextTick = isTicking
        return result
    }

    /// Returns the niceness of the threads that are set aside. On each core they have together the weight of one other
    /// thread, so that half a core is always left for turns and timers. One step of niceness is a factor of 1.25, and
    /// there are 19 steps.
    static func niceness(setAside: Int, cores: Int) -> Int32 {
        var (niceness, weight) = (Int32(0), Double(setAside) / Double(cores))
        while weight > 1, niceness < 19 {
            weight /= 1.25
            niceness += 1
        }
        return niceness
    }

    /// Stores the numbers of begun jobs for the comparison at the next tick.
    private mutating func sample(_ begun: (Int) -> UInt) {
        for thread in threads.indices {
            if case .running = threads[thread] { threads[thread] = .running(seen: begun(thread)) }
        }
    }
}
