/// The jobs that are sent to workers ahead, at most one to each, so that a worker has its next job when one ends.
///
/// A job is sent ahead only behind one that has just begun, at a worker whose last job was short. It is taken back when
/// the job before it is not short after all. So it waits for a short time at most, and not behind a long job while
/// another worker is free.
extension JobQueueState {
    /// A job that is sent to a worker ahead, and the running job there after whose end it begins.
    struct Ahead: Sendable, Equatable {
        let job: JobID
        let member: Member
        let earlier: JobID
    }

    /// Returns the jobs that are sent ahead now. Call it after ``takeStarts()``.
    ///
    /// - Parameter isShort: Returns whether a running job has not been running for long.
    mutating func takeAhead(behind isShort: (JobID) -> Bool) -> [Ahead] {
        var taken: [Ahead] = []
        while !isPaused, runningCount <= width ?? .max, let member = ahead.followable.first,
            let earlier = running[member]?.first
        {
            guard isShort(earlier) else {
                setShort(false, at: member)
                continue
            }
            guard let job = next(), let entry = entries[job] else { break }
            guard entry.company == .shared else {
                // It has its worker to itself from the beginning, so none is free for it yet.
                wait(job, entry, takesNextTurn: true)
                break
            }
            entries[job]?.phase = .ahead(member)
            if let key = entry.key { keys.insert(key) }
            ahead.add(job, at: member)
            place(member)
            taken.append(Ahead(job: job, member: member, earlier: earlier))
        }
        return taken
    }

    /// Notes whether the last job of a worker was short, so that another one may be sent ahead while the next one runs.
    mutating func setShort(_ isShort: Bool, at member: Member) {
        // The last answer of a worker may arrive after it has left.
        guard ahead.setShort(isShort && members.contains(member), at: member) else { return }
        place(member)
    }

    /// Begins the job that was sent ahead to a worker, where the running one has ended. Call this before you end that
    /// one here.
    ///
    /// - Returns: The job that begins, or nil if there is none.
    mutating func beginAhead(at member: Member) -> JobID? {
        guard let job = ahead.remove(at: member) else { return nil }
        entries[job]?.phase = .running(member, hadNeighbour: false)
        running[member, default: []].append(job)
        runningCount += 1
        place(member)
        return job
    }

    /// Whether a job runs.
    func isRunning(_ job: JobID) -> Bool { if case .running? = entries[job]?.phase { true } else { false } }

    /// Asks a worker not to begin the job that was sent there ahead. Its attempt ends, or it has begun already.
    mutating func recall(at member: Member) {
        guard let job = ahead[member], case .ahead? = entries[job]?.phase else { return }
        entries[job]?.phase = .recalled(member)
        ahead.recalls.append(job)
    }

    /// Returns the jobs that are to be recalled.
    mutating func takeRecalls() -> [JobID] {
        guard !ahead.recalls.isEmpty else { return [] }
        defer { ahead.recalls = [] }
        // Those that have begun or are back need no recall any more.
        return ahead.recalls.filter { if case .recalled? = entries[$0]?.phase { true } else { false } }
    }

    /// Asks all workers not to begin the jobs that were sent to them ahead.
    mutating func recallAll() {
        for member in ahead.members { recall(at: member) }
    }

    /// Whether a job may be sent ahead to a worker.
    func isFollowable(_ member: Member) -> Bool {
        guard ahead.isShort(at: member), ahead[member] == nil, members.contains(member), let jobs = running[member],
            jobs.count == 1
        else { return false }
        return entries[jobs[0]]?.company == .shared
    }
}

/// The jobs that were sent ahead, by their workers, and the workers to which jobs may be sent ahead.
struct JobsAhead<Member: Hashable & Sendable>: Sendable {
    /// Whether jobs are sent ahead at all.
    let isUsed: Bool
    private var jobs: [Member: JobID] = [:]
    /// The workers whose last job was short.
    private var short: Set<Member> = []
    /// The workers to which a job may be sent ahead, if the one that runs there has just begun.
    private(set) var followable: [Member] = []
    /// The jobs that are to be recalled.
    var recalls: [JobID] = []

    init(isUsed: Bool) {
        self.isUsed = isUsed
    }

    /// The workers that have a job which was sent ahead.
    var members: Dictionary<Member, JobID>.Keys { jobs.keys }

    /// The job that was sent to a worker ahead.
    subscript(member: Member) -> JobID? { jobs.isEmpty ? nil : jobs[member] }

    /// Whether the last job of a worker was short.
    func isShort(at member: Member) -> Bool { isUsed && short.contains(member) }

    /// - Returns: Whether this is a change.
    mutating func setShort(_ isShort: Bool, at member: Member) -> Bool {
        guard isUsed, short.contains(member) != isShort else { return false }
        if isShort { short.insert(member) } else { short.remove(member) }
        return true
    }

    mutating func place(_ member: Member, isFollowable: Bool) {
        guard isUsed else { return }
        if let index = followable.firstIndex(of: member) { followable.remove(at: index) }
        if isFollowable { followable.append(member) }
    }

    mutating func add(_ job: JobID, at member: Member) {
        jobs[member] = job
    }

    @discardableResult
    mutating func remove(at member: Member) -> JobID? { jobs.isEmpty ? nil : jobs.removeValue(forKey: member) }

    /// Forgets what the jobs of a worker were like.
    mutating func forget(_ member: Member) {
        short.remove(member)
    }
}
