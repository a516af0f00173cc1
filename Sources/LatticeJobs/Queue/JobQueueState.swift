import LatticeCalls

/// The state machine that decides which job of a pool runs next, and at which worker. It does no I/O and has no clock.
///
/// A worker takes one job at a time. At most ``width`` jobs run at a time, and at most one of each key. Of the jobs
/// that may run, those with the highest priority start first. Within a priority the clients take turns, and the jobs of
/// one client start in the order in which they were submitted. A job is in one of these states:
/// - `waiting`: It starts as soon as the rules allow it.
/// - `running`: It runs at a worker, which takes no other job.
/// - `delayed`: An attempt failed. It waits again after ``resume(_:)``, at its place among the jobs of its client.
///
/// A job that is none of these is unknown. An input for it does nothing.
struct JobQueueState<Member: Hashable & Sendable>: Sendable {
    /// A job that starts at a worker.
    struct Start: Sendable, Equatable {
        let job: JobID
        let member: Member
    }

    private enum Phase: Equatable {
        case waiting
        case running(Member)
        case delayed
    }

    private struct Entry {
        let priority: Int
        let key: String?
        let client: CallerIdentity?
        var phase = Phase.waiting
    }

    /// The maximum number of jobs that wait or are delayed. It is that of all clients together: one client that fills
    /// the queue keeps the others out.
    let maximumWaiting: Int
    /// The maximum number of jobs that run at a time, or nil for as many as there are workers.
    private(set) var width: Int?
    private var entries: [JobID: Entry] = [:]
    /// The jobs that wait, except those of `blocked`. Jobs that do not wait any more stay here until they are reached.
    private var ready = FairJobQueue()
    /// The jobs that were reached while another job of their key was running, by key.
    private var blocked: [String: FairJobQueue] = [:]
    /// The number of jobs that were removed since the order was last searched for such jobs.
    private var removed = 0
    /// The keys of running jobs.
    private var keys: Set<String> = []
    /// The workers that are present.
    private var members: Set<Member> = []
    /// The present workers without a job. The last one is used first, because its caches are warm.
    private var idle: [Member] = []
    /// Workers that have ended, although the list of workers may still contain them.
    private var ended: Set<Member> = []
    /// The running jobs by their workers.
    private var running: [Member: JobID] = [:]

    /// Whether no further job starts.
    private(set) var isPaused = false

    init(maximumWaiting: Int, width: Int? = nil) {
        self.maximumWaiting = maximumWaiting
        self.width = width
    }

    /// The number of jobs that wait or are delayed.
    var waitingCount: Int { entries.count - running.count }
    /// The number of running jobs.
    var runningCount: Int { running.count }
    /// The number of present workers.
    var memberCount: Int { members.count }
    /// The jobs that wait, run or are delayed, in the order in which they were submitted.
    var jobs: [JobID] { entries.keys.sorted() }

    // MARK: Jobs

    /// Adds a job at the end of its priority and its client.
    ///
    /// - Parameters:
    ///   - job: An identity that is greater than all earlier ones.
    ///   - priority: The priority of the job.
    ///   - key: The key of which at most one job runs at a time, or nil.
    ///   - client: The caller of the job.
    /// - Returns: Whether there was room for the job. If not, it is refused.
    mutating func add(_ job: JobID, priority: Int, key: String?, of client: CallerIdentity? = nil) -> Bool {
        guard waitingCount < maximumWaiting else { return false }
        let entry = Entry(priority: priority, key: key, client: client)
        entries[job] = entry
        wait(job, entry)
        return true
    }

    /// Removes a job that waits or is delayed.
    ///
    /// - Returns: Whether it did.
    mutating func remove(_ job: JobID) -> Bool {
        guard let entry = entries[job] else { return false }
        if case .running = entry.phase { return false }
        entries[job] = nil
        removed += 1
        // The job may be the one that would have started for its key.
        if let key = entry.key, !keys.contains(key) { unblock(key) }
        if removed > waitingCount + 64 { compact() }
        return true
    }

    /// Removes a running job that has ended. Its worker takes the next job.
    mutating func end(_ job: JobID) {
        guard release(job) else { return }
        entries[job] = nil
    }

    /// Lets a running job whose attempt has failed wait for a call of ``resume(_:)``. Its worker takes the next job.
    mutating func delay(_ job: JobID) {
        guard release(job) else { return }
        entries[job]?.phase = .delayed
    }

    /// Lets a running job wait again, because its attempt has not begun. Its client gets the next turn.
    mutating func putBack(_ job: JobID) {
        delay(job)
        resume(job, takesNextTurn: true)
    }

    /// Lets a delayed job wait for a worker again.
    mutating func resume(_ job: JobID) {
        resume(job, takesNextTurn: false)
    }

    private mutating func resume(_ job: JobID, takesNextTurn: Bool) {
        guard let entry = entries[job], entry.phase == .delayed else { return }
        entries[job]?.phase = .waiting
        wait(job, entry, takesNextTurn: takesNextTurn)
    }

    // MARK: Workers

    /// Sets the maximum number of jobs that run at a time. Running jobs are not affected.
    mutating func setWidth(_ width: Int?) {
        self.width = width
    }

    /// Lets no further job start, or lets them start again. Running jobs are not affected.
    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
    }

    /// Updates the workers that are present.
    mutating func serve(_ present: [Member]) {
        let now = Set(present)
        ended.formIntersection(now)
        for member in members.subtracting(now) { drop(member) }
        for member in present where !ended.contains(member) && members.insert(member).inserted {
            if running[member] == nil { idle.insert(member, at: 0) }
        }
    }

    /// Removes a worker that takes no more jobs. A job that runs there continues until it is ended or delayed.
    mutating func leave(_ member: Member) {
        if members.contains(member) { ended.insert(member) }
        drop(member)
    }

    /// Returns the jobs that start now.
    mutating func takeStarts() -> [Start] {
        var starts: [Start] = []
        while !isPaused, runningCount < width ?? .max, !idle.isEmpty, let job = next(), let member = idle.popLast() {
            entries[job]?.phase = .running(member)
            running[member] = job
            if let key = entries[job]?.key { keys.insert(key) }
            starts.append(Start(job: job, member: member))
        }
        return starts
    }

    // MARK: Parts

    private mutating func wait(_ job: JobID, _ entry: Entry, takesNextTurn: Bool = false) {
        ready.insert(
            .init(priority: entry.priority, client: entry.client, job: job),
            takesNextTurn: takesNextTurn
        )
    }

    private mutating func drop(_ member: Member) {
        members.remove(member)
        idle.removeAll { $0 == member }
    }

    /// Frees the worker and the key of a running job.
    private mutating func release(_ job: JobID) -> Bool {
        guard let entry = entries[job], case .running(let member) = entry.phase else { return false }
        running[member] = nil
        if members.contains(member) { idle.append(member) }
        if let key = entry.key { unblock(key) }
        return true
    }

    /// Lets the best job that waits for a key take part in the order again.
    private mutating func unblock(_ key: String) {
        keys.remove(key)
        let entries = entries
        if let place = blocked[key]?.takeFirst(where: { entries[$0.job]?.phase == .waiting }) { ready.insert(place) }
        if blocked[key]?.isEmpty == true { blocked[key] = nil }
    }

    /// Removes the first job that may run from the order.
    private mutating func next() -> JobID? {
        let (entries, keys) = (entries, keys)
        // Not a copy, because the order would then be copied with the first job that is reached.
        var blocked: [String: FairJobQueue] = [:]
        swap(&blocked, &self.blocked)
        defer { self.blocked = blocked }
        return ready.takeFirst { place in
            guard let entry = entries[place.job], entry.phase == .waiting else { return false }
            guard let key = entry.key, keys.contains(key) else { return true }
            blocked[key, default: FairJobQueue()].insert(place)
            return false
        }?.job
    }

    /// Removes jobs from the order that do not wait any more.
    private mutating func compact() {
        removed = 0
        let entries = entries
        let isWaiting = { (job: JobID) in entries[job]?.phase == .waiting }
        ready.keep(where: isWaiting)
        for key in Array(blocked.keys) {
            blocked[key]?.keep(where: isWaiting)
            if blocked[key]?.isEmpty == true { blocked[key] = nil }
        }
    }
}
