import HeapModule
import LatticeCalls

/// Jobs in the order in which they start. It does no I/O and has no clock.
///
/// Jobs with a higher priority come first. Within a priority the clients take turns: each has one job taken, and then
/// waits until all others that have jobs had one taken. The jobs of one client come in the order in which they were
/// submitted.
struct FairJobQueue: Sendable {
    /// The place of a job in the order.
    struct Place: Sendable, Equatable {
        let priority: Int
        /// The process that has submitted the job, or nil for the program of the pool.
        let client: CallerIdentity?
        let job: JobID
    }

    /// The jobs of one priority.
    private struct Level: Sendable {
        /// The jobs of each client that has some.
        var jobs: [CallerIdentity?: Heap<JobID>] = [:]
        /// The same clients. The first one has the next turn.
        var turns: [CallerIdentity?] = []
    }

    /// The levels that have jobs, by their priorities.
    private var levels: [Int: Level] = [:]
    /// The same priorities.
    private var priorities = Heap<Int>()

    var isEmpty: Bool { levels.isEmpty }

    /// Adds a job. A client that had no job gets the last turn.
    ///
    /// - Parameter takesNextTurn: Whether the client gets the next turn instead, because the job has not begun in the
    ///   turn in which it was taken.
    mutating func insert(_ place: Place, takesNextTurn: Bool = false) {
        if levels[place.priority] == nil {
            levels[place.priority] = Level()
            priorities.insert(place.priority)
        }
        if levels[place.priority]?.jobs[place.client]?.insert(place.job) == nil {
            levels[place.priority]?.jobs[place.client] = [place.job]
            levels[place.priority]?.turns.append(place.client)
        }
        guard takesNextTurn else { return }
        levels[place.priority]?.turns.removeAll { $0 == place.client }
        levels[place.priority]?.turns.insert(place.client, at: 0)
    }

    /// Removes the first job that fulfils a condition, and all that come before it. A job that does not fulfil it takes
    /// no turn.
    mutating func takeFirst(where isWanted: (Place) -> Bool) -> Place? {
        while let priority = priorities.max, let place = first(of: priority) {
            let isTaken = isWanted(place)
            remove(place, takesTurn: isTaken)
            if isTaken { return place }
        }
        return nil
    }

    /// Removes the jobs that do not fulfil a condition. The turns stay.
    mutating func keep(where isWanted: (JobID) -> Bool) {
        for priority in levels.keys {
            guard var level = levels.removeValue(forKey: priority) else { continue }
            level.jobs = level.jobs.compactMapValues { jobs in
                let kept = jobs.unordered.filter(isWanted)
                return kept.isEmpty ? nil : Heap(kept)
            }
            level.turns.removeAll { level.jobs[$0] == nil }
            if !level.turns.isEmpty { levels[priority] = level }
        }
        priorities = Heap(levels.keys)
    }

    private func first(of priority: Int) -> Place? {
        guard let level = levels[priority], let client = level.turns.first, let job = level.jobs[client]?.min else {
            return nil
        }
        return Place(priority: priority, client: client, job: job)
    }

    /// Removes the first job of the highest priority.
    private mutating func remove(_ place: Place, takesTurn: Bool) {
        levels[place.priority]?.jobs[place.client]?.removeMin()
        let isLast = levels[place.priority]?.jobs[place.client]?.isEmpty == true
        guard isLast || takesTurn else { return }
        levels[place.priority]?.turns.removeFirst()
        guard isLast else {
            levels[place.priority]?.turns.append(place.client)
            return
        }
        levels[place.priority]?.jobs[place.client] = nil
        guard levels[place.priority]?.turns.isEmpty == true else { return }
        levels[place.priority] = nil
        priorities.removeMax()
    }
}
