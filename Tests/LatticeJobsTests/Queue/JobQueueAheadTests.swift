import ByteTestSupport
import Testing

@testable import LatticeJobs

/// A queue as an object, so that an expectation can change it.
private final class AheadQueue {
    typealias Ahead = JobQueueState<String>.Ahead

    private var state: JobQueueState<String>
    /// The jobs that have been running for long.
    var long: Set<JobID> = []

    init(maximumWaiting: Int = 100, places: Int = 1, sendsAhead: Bool = true) {
        state = JobQueueState(maximumWaiting: maximumWaiting, places: places, sendsAhead: sendsAhead)
    }

    func add(_ number: UInt64, priority: Int = 0, key: String? = nil, in company: JobCompany = .shared) -> Bool {
        state.add(JobID(number), priority: priority, key: key, in: company)
    }

    func serve(_ members: [String]) { state.serve(members) }
    func leave(_ member: String) { state.leave(member) }
    func setPaused(_ isPaused: Bool) { state.setPaused(isPaused) }
    func setWidth(_ width: Int?) { state.setWidth(width) }
    func setShort(_ isShort: Bool, at member: String) { state.setShort(isShort, at: member) }
    func starts() -> [JobQueueState<String>.Start] { state.takeStarts() }
    func ahead() -> [Ahead] { state.takeAhead { !long.contains($0) } }
    func recalls() -> [JobID] { state.takeRecalls() }
    func recall(at member: String) { state.recall(at: member) }
    func begin(at member: String) -> JobID? { state.beginAhead(at: member) }
    func end(_ job: JobID) { state.end(job) }
    func putBack(_ job: JobID) { state.putBack(job) }
    func remove(_ job: JobID) -> Bool { state.remove(job) }
    func jobs(at member: String) -> [JobID] { state.jobs(at: member) }
    func hadNeighbour(_ job: JobID) -> Bool { state.hadNeighbour(job) }
    var counts: [Int] { [state.runningCount, state.waitingCount] }
    var jobs: [JobID] { state.jobs }
}

/// Workers are letters, and jobs numbers.
struct JobQueueAheadTests {
    /// Creates a queue with this number of jobs, of which one runs at each worker, to which others may be sent
    /// ahead.
    private static func queue(
        _ count: UInt64,
        workers: [String] = ["a"],
        places: Int = 1,
        sendsAhead: Bool = true
    ) -> AheadQueue {
        let queue = AheadQueue(places: places, sendsAhead: sendsAhead)
        for number in 1...count { #expect(queue.add(number)) }
        queue.serve(workers)
        #expect(queue.starts().count == workers.count * places)
        for worker in workers { queue.setShort(true, at: worker) }
        return queue
    }

    private static func describe(_ ahead: [AheadQueue.Ahead]) -> [String] {
        ahead.map { "\($0.job.number)\($0.member)\($0.earlier.number)" }
    }

    @Test("Behind a short job one job is sent ahead, waits, and begins when that one ends, before its worker is free")
    func begins() {
        let queue = Self.queue(3)
        #expect(Self.describe(queue.ahead()) == ["2a1"] && queue.ahead().isEmpty)
        #expect(queue.counts == [1, 2])
        #expect(queue.begin(at: "a") == JobID(2))
        queue.end(JobID(1))
        #expect(queue.jobs(at: "a") == [JobID(2)] && queue.starts().isEmpty)
        #expect(!queue.hadNeighbour(JobID(2)) && queue.counts[0] == 1)
        #expect(Self.describe(queue.ahead()) == ["3a2"])
    }

    @Test("Each worker gets one job ahead")
    func several() {
        let queue = Self.queue(9, workers: ["a", "b"])
        let ahead = queue.ahead()
        #expect(ahead.map(\.job.number) == [3, 4] && Set(ahead.map(\.member)) == ["a", "b"])
        #expect(ahead.allSatisfy { queue.jobs(at: $0.member) == [$0.earlier] })
    }

    @Test("Nothing is sent ahead behind a job that has been running for long, until the next one was short")
    func behindLong() {
        let queue = Self.queue(4)
        queue.long = [JobID(1)]
        #expect(queue.ahead().isEmpty)
        queue.long = []
        #expect(queue.ahead().isEmpty)
        queue.setShort(true, at: "a")
        queue.end(JobID(1))
        #expect(queue.starts().map(\.job) == [JobID(2)] && queue.ahead().map(\.job) == [JobID(3)])
    }

    @Test(
        "No job is sent ahead behind a long job, to a worker with several places, or when it could not begin",
        arguments: ["long", "places", "unused", "paused", "gone"]
    )
    func notSent(reason: String) {
        let queue = Self.queue(9, places: reason == "places" ? 2 : 1, sendsAhead: reason != "unused")
        switch reason {
        case "long": queue.setShort(false, at: "a")
        case "paused": queue.setPaused(true)
        case "gone": queue.leave("a")
        default: break
        }
        #expect(queue.ahead().isEmpty)
    }

    @Test("A job that runs alone is not sent ahead, nothing is sent behind it, and it keeps its place in the order")
    func alone() {
        let queue = AheadQueue(maximumWaiting: 9)
        queue.serve(["a"])
        queue.setShort(true, at: "a")
        for (number, company) in [(1, .shared), (2, .alone), (3, .shared)] as [(UInt64, JobCompany)] {
            #expect(queue.add(number, in: company))
        }
        #expect(queue.starts().map(\.job) == [JobID(1)] && queue.ahead().isEmpty)
        queue.end(JobID(1))
        #expect(queue.starts().map(\.job) == [JobID(2)] && queue.ahead().isEmpty)
        queue.end(JobID(2))
        #expect(queue.starts().map(\.job) == [JobID(3)])
    }

    @Test("A job that was sent ahead keeps its key, so none of that key runs elsewhere")
    func keys() {
        let queue = AheadQueue(maximumWaiting: 9)
        queue.serve(["a"])
        #expect(queue.add(1) && queue.starts().count == 1)
        queue.setShort(true, at: "a")
        #expect(queue.add(2, key: "k") && queue.add(3, key: "k"))
        #expect(Self.describe(queue.ahead()) == ["2a1"])
        queue.serve(["a", "b"])
        #expect(queue.starts().isEmpty)
        #expect(queue.begin(at: "a") == JobID(2))
        queue.end(JobID(1))
        queue.end(JobID(2))
        #expect(queue.starts().map(\.job) == [JobID(3)])
    }

    @Test(
        "A job is recalled once when it must not begin, and then is the next one again",
        arguments: ["paused", "width", "gone", "long"]
    )
    func recalled(reason: String) {
        let queue = Self.queue(3)
        #expect(queue.ahead().count == 1 && queue.recalls().isEmpty)
        switch reason {
        case "paused": queue.setPaused(true)
        case "width": queue.setWidth(1)
        case "gone": queue.serve([])
        default:
            queue.setShort(false, at: "a")
            queue.recall(at: "a")
        }
        #expect(queue.recalls() == [JobID(2)] && queue.recalls().isEmpty)
        // It is still at the worker, so it is not removed and nothing else is sent.
        #expect(!queue.remove(JobID(2)) && queue.ahead().isEmpty)
        queue.putBack(JobID(2))
        queue.setPaused(false)
        queue.setWidth(nil)
        queue.serve(["b"])
        #expect(queue.starts().map(\.job) == [JobID(2)])
    }

    @Test("A job that has begun before its recall arrived runs on")
    func recalledTooLate() {
        let queue = Self.queue(3)
        #expect(queue.ahead().count == 1)
        queue.recall(at: "a")
        #expect(queue.begin(at: "a") == JobID(2))
        queue.end(JobID(1))
        #expect(queue.jobs(at: "a") == [JobID(2)])
        queue.end(JobID(2))
        #expect(queue.starts().map(\.job) == [JobID(3)])
    }

    @Test(
        "Over random inputs each job ends once, and the order at the workers, keys and width hold",
        arguments: 1...20
    )
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let queue = AheadQueue(maximumWaiting: 30)
        var (last, begun, ahead, ended) = (UInt64(0), [JobID: String](), [String: JobID](), Set<JobID>())
        var keys: [JobID: String] = [:]
        var (sent, width) = (0, Int?.none)
        /// Ends what runs at a worker, and begins what was sent there ahead.
        func end(_ member: String, _ job: JobID) {
            queue.setShort(random.below(4) > 0, at: member)
            let next = queue.begin(at: member)
            #expect(next == ahead.removeValue(forKey: member))
            begun[job] = nil
            if let next { begun[next] = member }
            if random.below(4) > 0 {
                queue.end(job)
                #expect(ended.insert(job).inserted)
            } else {
                queue.putBack(job)
            }
        }
        for _ in 0..<2000 {
            switch random.below(14) {
            case 0...4:
                last += 1
                let key = [nil, nil, "k", "l"][random.below(4)]
                let company: JobCompany = random.below(8) == 0 ? .alone : .shared
                if queue.add(last, priority: random.below(3), key: key, in: company) { keys[JobID(last)] = key }
            case 5, 6:
                guard let (job, member) = begun.min(by: { $0.key < $1.key }) else { break }
                end(member, job)
            case 7:
                // The worker has taken a job back.
                guard let (member, job) = ahead.min(by: { $0.key < $1.key }) else { break }
                ahead[member] = nil
                queue.putBack(job)
            case 8:
                width = random.below(3) == 0 ? nil : 1 + random.below(3)
                queue.setWidth(width)
                #expect(Set(queue.recalls()).isSubset(of: ahead.values))
            case 9: queue.serve(["a", "b", "c"].filter { _ in random.below(3) > 0 })
            case 10: queue.leave(["a", "b", "c"][random.below(3)])
            case 11:
                queue.recall(at: ["a", "b", "c"][random.below(3)])
                #expect(Set(queue.recalls()).isSubset(of: ahead.values))
            case 12:
                let job = JobID(1 + UInt64(random.below(Int(last) + 1)))
                let isThere = begun[job] != nil || ahead.values.contains(job)
                if queue.remove(job) { #expect(!isThere && ended.insert(job).inserted) }
            default: queue.long = Set(begun.keys.filter { _ in random.below(4) == 0 })
            }
            for start in queue.starts() {
                #expect(ahead[start.member] == nil && !begun.values.contains(start.member))
                begun[start.job] = start.member
                #expect(begun.count <= width ?? .max)
            }
            for job in queue.ahead() {
                sent += 1
                #expect(begun[job.earlier] == job.member && !queue.long.contains(job.earlier))
                #expect(ahead.updateValue(job.job, forKey: job.member) == nil)
            }
            let held = (Array(begun.keys) + ahead.values).compactMap { keys[$0] }
            #expect(held.count == Set(held).count && queue.counts[0] == begun.count)
        }
        queue.setWidth(nil)
        queue.serve([])
        queue.serve(["a", "b", "c"])
        while !queue.jobs.isEmpty {
            for start in queue.starts() { begun[start.job] = start.member }
            guard let (job, member) = begun.first else { break }
            end(member, job)
        }
        #expect(queue.jobs.isEmpty && sent > 50)
    }
}
