import LatticeCalls

/// Whether other jobs may run at the worker of a job while it runs.
enum JobCompany: Sendable, Equatable {
    /// The job shares its worker, if workers run several jobs at a time.
    case shared
    /// The job has its worker to itself.
    case alone
}

/// The state machine that decides which job of a pool runs next, and at which worker. It does no I/O and has no clock.
///
/// A worker has ``places`` places, and takes a job for each. At most ``width`` jobs run at a time, and at most one of
/// each key. Of the jobs that may run, those with the highest priority start first, at a worker that has the fewest.
/// Within a priority the clients take turns, and the jobs of one client start in the order in which they were
/// submitted. A job is in one of these states:
/// - `waiting`: It starts as soon as the rules allow it.
/// - `isolating`: It is the next one, runs alone, and no worker is free of others. A worker takes no further job until
///   it has none, so that the job starts there, unless another worker has none before.
/// - `ahead`: It was sent to a worker, and begins there when the running job has ended.
/// - `recalled`: The same, but the worker was asked not to begin it.
/// - `running`: It runs at a worker.
/// - `delayed`: An attempt failed. It waits again after ``resume(_:)``, at its place among the jobs of its client.
///
/// A job that is none of these is unknown. An input for it does nothing.
struct JobQueueState<Member: Hashable & Sendable>: Sendable {
    /// A job that starts at a worker.
    struct Start: Sendable, Equatable {
        let job: JobID
        let member: Member
    }

    enum Phase: Equatable {
        case waiting
        case isolating(Member)
        case ahead(Member)
        case recalled(Member)
        /// The second value says whether another job ran there during any part of this attempt.
        case running(Member, hadNeighbour: Bool)
        case delayed
    }

    struct Entry {
        let priority: Int
        let key: String?
        let client: CallerIdentity?
        var company: JobCompany
        var phase = Phase.waiting
    }

    /// The maximum number of jobs that wait or are delayed. It is that of all clients together: one client that fills
    /// the queue keeps the others out.
    let maximumWaiting: Int
    /// The number of jobs that a worker runs at a time.
    let places: Int
    /// The maximum number of jobs that run at a time, or nil for as many as there are workers.
    private(set) var width: Int?
    var entries: [JobID: Entry] = [:]
    /// The jobs that wait, except those of `blocked`. Jobs that do not wait any more stay here until they are reached.
    private var ready = FairJobQueue()
    /// The jobs that were reached while another job of their key was running, by key.
    private var blocked: [String: FairJobQueue] = [:]
    /// The number of jobs that were removed since the order was last searched for such jobs.
    private var removed = 0
    /// The keys of jobs that run or are isolating.
    var keys: Set<String> = []
    /// The workers that are present.
    private(set) var members: Set<Member> = []
    /// The present workers that take a job, by the number of jobs that they run. Of each number the last one is used
    /// first, because its caches are warm.
    private var open: [[Member]]
    /// Workers that have ended, although the list of workers may still contain them.
    private var ended: Set<Member> = []
    /// The running jobs by their workers, which have at least one.
    var running: [Member: [JobID]] = [:]
    /// The number of running jobs.
    var runningCount = 0
    /// The jobs that were sent ahead, and the workers to which another one may be.
    var ahead: JobsAhead<Member>
    /// The jobs that are isolating, in their order, and the workers that take no further job for them.
    private(set) var reservations: [Start] = []

    /// Whether no further job starts.
    private(set) var isPaused = false

    init(maximumWaiting: Int, width: Int? = nil, places: Int = 1, sendsAhead: Bool = false) {
        self.maximumWaiting = maximumWaiting
        self.width = width
        self.places = places
        ahead = JobsAhead(isUsed: sendsAhead && places == 1)
        open = Array(repeating: [], count: places)
    }

    /// The number of jobs that wait, are isolating, or are delayed.
    var waitingCount: Int { entries.count - runningCount }
    /// The number of present workers.
    var memberCount: Int { members.count }
    /// All jobs, in the order in which they were submitted.
    var jobs: [JobID] { entries.keys.sorted() }

    /// Returns the jobs that run at a worker, in the order in which they started.
    func jobs(at member: Member) -> [JobID] { running[member] ?? [] }

    /// Returns whether another job ran at the worker of a running job during any part of its attempt.
    func hadNeighbour(_ job: JobID) -> Bool {
        if case .running(_, let hadNeighbour)? = entries[job]?.phase { hadNeighbour } else { false }
    }

    // MARK: Jobs

    /// Adds a job at the end of its priority and its client.
    ///
    /// - Parameters:
    ///   - job: An identity that is greater than all earlier ones.
    ///   - priority: The priority of the job.
    ///   - key: The key of which at most one job runs at a time, or nil.
    ///   - client: The caller of the job.
    ///   - company: Whether other jobs may run at its worker.
    /// - Returns: Whether there was room for the job. If not, it is refused.
    mutating func add(
        _ job: JobID,
        priority: Int,
        key: String?,
        of client: CallerIdentity? = nil,
        in company: JobCompany = .shared
    ) -> Bool {
        guard waitingCount < maximumWaiting else { return false }
        let entry = Entry(priority: priority, key: key, client: client, company: company)
        entries[job] = entry
        wait(job, entry)
        return true
    }

    /// Removes a job that is at no worker.
    ///
    /// - Returns: Whether it did.
    mutating func remove(_ job: JobID) -> Bool {
        guard let entry = entries[job] else { return false }
        switch entry.phase {
        case .running, .ahead, .recalled: return false
        case .isolating: endReservation(of: job)
        case .waiting, .delayed: break
        }
        entries[job] = nil
        removed += 1
        // The job may be the one that would have started for its key.
        if let key = entry.key, !keys.contains(key) { unblock(key) }
        if removed > waitingCount + 64 { compact() }
        return true
    }

    /// Removes a job that has ended at a worker. The worker takes the next job.
    mutating func end(_ job: JobID) {
        guard release(job) else { return }
        entries[job] = nil
    }

    /// Lets a running job whose attempt has failed wait for a call of ``resume(_:)``. Its worker takes the next job.
    ///
    /// - Parameter company: Whether other jobs may run at its worker from now on, or nil if that stays as it was.
    mutating func delay(_ job: JobID, in company: JobCompany? = nil) {
        guard release(job) else { return }
        entries[job]?.phase = .delayed
        if let company { entries[job]?.company = company }
    }

    /// Lets a running job wait again, because its attempt counts for nothing. Its client gets the next turn.
    ///
    /// - Parameter company: Whether other jobs may run at its worker from now on, or nil if that stays as it was.
    mutating func putBack(_ job: JobID, in company: JobCompany? = nil) {
        delay(job, in: company)
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
        recallAll()
    }

    /// Lets no further job start, or lets them start again. Running jobs are not affected.
    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        if isPaused { recallAll() }
    }

    /// Updates the workers that are present.
    mutating func serve(_ present: [Member]) {
        let now = Set(present)
        ended.formIntersection(now)
        for member in members.subtracting(now) { drop(member) }
        for member in present where !ended.contains(member) && members.insert(member).inserted {
            if isOpen(member) { open[jobs(at: member).count].insert(member, at: 0) }
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
        while !isPaused, runningCount < width ?? .max, let start = isolated() ?? following() {
            begin(start)
            starts.append(start)
        }
        return starts
    }

    // MARK: Parts

    /// Takes the first job that is isolating and for which a worker is free of others.
    private mutating func isolated() -> Start? {
        if let start = reservations.first(where: { running[$0.member] == nil }) {
            endReservation(of: start.job)
            return start
        }
        guard let job = reservations.first?.job, let member = open[0].last else { return nil }
        endReservation(of: job)
        return Start(job: job, member: member)
    }

    /// Takes the first job of the order that can start. Jobs before it that run alone begin to isolate.
    private mutating func following() -> Start? {
        while let member = open.first(where: { !$0.isEmpty })?.last, let job = next() {
            let start = Start(job: job, member: member)
            guard entries[job]?.company == .alone, running[member] != nil else { return start }
            entries[job]?.phase = .isolating(member)
            if let key = entries[job]?.key { keys.insert(key) }
            reservations.append(start)
            place(member)
        }
        return nil
    }

    private mutating func begin(_ start: Start) {
        let neighbours = jobs(at: start.member)
        for neighbour in neighbours { entries[neighbour]?.phase = .running(start.member, hadNeighbour: true) }
        entries[start.job]?.phase = .running(start.member, hadNeighbour: !neighbours.isEmpty)
        if let key = entries[start.job]?.key { keys.insert(key) }
        running[start.member, default: []].append(start.job)
        runningCount += 1
        place(start.member)
    }

    /// Frees the worker and the key of a job that is isolating.
    private mutating func endReservation(of job: JobID) {
        guard let index = reservations.firstIndex(where: { $0.job == job }) else { return }
        let member = reservations.remove(at: index).member
        if let key = entries[job]?.key { unblock(key) }
        place(member)
    }

    /// Whether a worker takes a further job.
    private func isOpen(_ member: Member) -> Bool {
        let jobs = jobs(at: member)
        return members.contains(member) && jobs.count < places && !reservations.contains { $0.member == member }
            && !jobs.contains { entries[$0]?.company == .alone }
    }

    /// Puts a worker where it is found by the number of its jobs, or takes it away if it takes no further one.
    mutating func place(_ member: Member) {
        ahead.place(member, isFollowable: isFollowable(member))
        for count in open.indices {
            if let index = open[count].lastIndex(of: member) { open[count].remove(at: index) }
        }
        if isOpen(member) { open[jobs(at: member).count].append(member) }
    }

    mutating func wait(_ job: JobID, _ entry: Entry, takesNextTurn: Bool = false) {
        ready.insert(
            .init(priority: entry.priority, client: entry.client, job: job),
            takesNextTurn: takesNextTurn
        )
    }

    private mutating func drop(_ member: Member) {
        members.remove(member)
        recall(at: member)
        ahead.forget(member)
        place(member)
        let reservation = reservations.first { $0.member == member }
        guard let job = reservation?.job, let entry = entries[job] else { return }
        endReservation(of: job)
        entries[job]?.phase = .waiting
        wait(job, entry, takesNextTurn: true)
    }

    /// Frees the worker and the key of a job that is at a worker.
    private mutating func release(_ job: JobID) -> Bool {
        guard let entry = entries[job] else { return false }
        let member: Member
        switch entry.phase {
        case .running(let place, _): member = place
        case .ahead(let place), .recalled(let place):
            ahead.remove(at: place)
            self.place(place)
            if let key = entry.key { unblock(key) }
            return true
        case .waiting, .isolating, .delayed: return false
        }
        let others = jobs(at: member).filter { $0 != job }
        running[member] = others.isEmpty ? nil : others
        runningCount -= 1
        place(member)
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
    mutating func next() -> JobID? {
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
