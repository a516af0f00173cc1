import DequeModule

/// What the threads of a pool do, and which jobs wait for one.
///
/// The rule: `width` threads run jobs. A job that has not ended between two ticks computes or blocks: its thread is set
/// aside, counts no longer, and another one takes its place. So what ends soon waits for others that do, and for
/// `1/width` of a tick for each job before it that does not. Ticks begin when a job waits, and end when none runs.
///
/// It starts no threads and wakes none, but says who is to. Threads are known by small numbers, jobs by whatever they
/// are.
struct ThreadPoolState<Job> {
    struct Limits: Sendable {
        /// Threads that run jobs, those that were set aside not counted.
        let width: Int
        /// Threads in all. With as many as `width` none is set aside.
        let threads: Int
    }

    /// A job that waits, and how many ticks there had been.
    private struct Waiting {
        let job: Job
        let tick: Int
    }

    private enum Thread: Equatable {
        case idle
        /// Runs jobs; at the last tick it had begun so many.
        case running(seen: UInt)
        /// Runs a job that has lasted too long.
        case setAside
        /// A number without a thread.
        case ended
    }

    /// What whoever added a job has to do, after leaving the lock.
    enum Consequence {
        case nothing
        /// The thread runs this job.
        case wake(Int, Job)
        /// A thread with this number is to be made, and runs this job.
        case start(Int, Job)
        /// Ticks are to come from now on.
        case tick
    }

    /// What a tick leads to.
    struct Tick {
        var setAside: [Int] = []
        var woken: [(thread: Int, job: Job)] = []
        var started: [(thread: Int, job: Job)] = []
        /// Whether another one is to come.
        var goesOn = false
    }

    /// So few void ones are left where they are.
    private static var fewVoids: Int { 64 }

    private let limits: Limits
    /// Of tasks that have run before.
    private var resumed = Deque<Waiting>()
    /// Of tasks that begin.
    private var fresh = Deque<Waiting>()
    private var isFreshNext = false
    private var threads: [Thread] = []
    /// The last one is next: its memory is the warmest.
    private var idle: [Int] = []
    private var free: [Int] = []
    private var running = 0
    private var ticks = 0
    private var isTicking = false
    /// How many waiting jobs have become void since they were looked through.
    private var voids = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    // MARK: Jobs

    var waiting: Int { resumed.count + fresh.count }
    var threadCount: Int { threads.count - free.count }
    var setAsideCount: Int { threadCount - idle.count - running }

    /// For how many ticks the job waits that has waited longest.
    var longestWait: Int {
        ticks - min(resumed.first?.tick ?? ticks, fresh.first?.tick ?? ticks)
    }

    /// - Parameter begun: how many jobs a thread has begun.
    mutating func add(_ job: Job, isFresh: Bool, begun: (Int) -> UInt) -> Consequence {
        if waiting == 0 {
            if let thread = wake() { return .wake(thread, job) }
            if let thread = make() { return .start(thread, job) }
        }
        let job = Waiting(job: job, tick: ticks)
        if isFresh { fresh.append(job) } else { resumed.append(job) }
        guard !isTicking, limits.threads > limits.width else { return .nothing }
        isTicking = true
        look(begun)
        return .tick
    }

    /// The thread has ended a job.
    /// - Returns: the next; nil if there is none for it: the thread is idle from now on.
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

    /// Threads that are not idle.
    var busyCount: Int { threadCount - idle.count }

    /// The thread was idle for as long as one is kept.
    /// - Returns: false if it was woken meanwhile, or stays: the last one does, as it is not sure that the system has
    ///   another one when it is needed.
    mutating func end(_ thread: Int) -> Bool {
        guard case .idle = threads[thread], threadCount > 1 else { return false }
        idle.removeAll { $0 == thread }
        forget(thread)
        return true
    }

    /// The thread has ended a job, and is of no use for another.
    mutating func retire(_ thread: Int) {
        if case .running = threads[thread] { running -= 1 }
        forget(thread)
    }

    private mutating func forget(_ thread: Int) {
        threads[thread] = .ended
        free.append(thread)
    }

    /// A job that waits will do nothing when its turn comes. When these are as many as the others they are let go, so
    /// that what is cancelled takes no more room than what waits.
    mutating func becameVoid(isVoid: (Job) -> Bool) {
        voids += 1
        guard voids >= max(Self.fewVoids, waiting / 2) else { return }
        voids = 0
        fresh.removeAll { isVoid($0.job) }
        resumed.removeAll { isVoid($0.job) }
    }

    /// A thread that was to be made could not be.
    /// - Returns: its job if there is no other thread; else it waits for one.
    mutating func didNotStart(_ thread: Int, _ job: Job) -> (job: Job?, ticks: Bool) {
        // A tick may have set it aside meanwhile.
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

    /// Of those that have waited and those that begin by turns: neither holds up the other.
    private mutating func take() -> Job? {
        isFreshNext.toggle()
        return (isFreshNext ? fresh.popFirst() ?? resumed.popFirst() : resumed.popFirst() ?? fresh.popFirst())?.job
    }

    /// Whether jobs wait that are not void.
    func isWaiting(isVoid: (Job) -> Bool) -> Bool {
        fresh.contains { !isVoid($0.job) } || resumed.contains { !isVoid($0.job) }
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

    /// Has the thread begin a job, which no tick has seen.
    private mutating func run(_ thread: Int) {
        running += 1
        threads[thread] = .running(seen: 0)
    }

    // MARK: Ticks

    /// Time has passed: sets aside the threads whose jobs have not ended since the last tick.
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
        look(begun)
        while waiting > 0 {
            let woken = wake()
            guard let thread = woken ?? make(), let job = take() else { break }
            // It begins now, which its count will tell in a moment.
            threads[thread] = .running(seen: begun(thread) + 1)
            if woken != nil { result.woken.append((thread, job)) } else { result.started.append((thread, job)) }
        }
        isTicking = waiting > 0 || (running > 0 && room > result.setAside.count)
        result.goesOn = isTicking
        return result
    }

    /// How nice the threads are to the others that were set aside: on each core they all weigh as much together as one
    /// other thread of the machine, so that there is always half a core for turns and timers. A step of niceness is a
    /// factor of 1.25; there are 19.
    static func niceness(setAside: Int, cores: Int) -> Int32 {
        var (niceness, weight) = (Int32(0), Double(setAside) / Double(cores))
        while weight > 1, niceness < 19 {
            weight /= 1.25
            niceness += 1
        }
        return niceness
    }

    private mutating func look(_ begun: (Int) -> UInt) {
        for thread in threads.indices {
            if case .running = threads[thread] { threads[thread] = .running(seen: begun(thread)) }
        }
    }
}
