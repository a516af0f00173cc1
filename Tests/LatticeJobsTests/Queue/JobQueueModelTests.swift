import ByteTestSupport
import Testing

@testable import LatticeJobs

/// Compares the queue with a slow model that searches all jobs, over random inputs.
struct JobQueueModelTests {
    private struct Model {
        enum Phase { case waiting, isolating(String), running(String), delayed }

        struct Entry {
            let job: JobID
            let priority: Int
            let key: String?
            var company: JobCompany
            var phase = Phase.waiting
            var hadNeighbour = false
        }

        var entries: [Entry] = []
        var members: Set<String> = []
        var width: Int?
        let places: Int

        var running: [Entry] { entries.filter { if case .running = $0.phase { true } else { false } } }
        /// The jobs that are isolating, and their workers.
        var isolating: [(entry: Entry, member: String)] {
            entries.compactMap { if case .isolating(let member) = $0.phase { ($0, member) } else { nil } }
        }

        func jobs(at member: String) -> [Entry] {
            entries.filter { if case .running(member) = $0.phase { true } else { false } }
        }

        /// The workers that take a job beside those that they run.
        var open: Set<String> {
            members.filter { member in
                let jobs = jobs(at: member)
                return jobs.count < places && !jobs.contains { $0.company == .alone }
                    && !isolating.contains { $0.member == member }
            }
        }

        var hasRoom: Bool { running.count < width ?? .max }

        /// The job that must start or isolate next, or nil if there is none.
        var next: Entry? {
            guard hasRoom, !open.isEmpty else { return nil }
            let keys = Set(running.compactMap(\.key) + isolating.compactMap(\.entry.key))
            let free = entries.filter { entry in
                if case .waiting = entry.phase { entry.key.map { !keys.contains($0) } ?? true } else { false }
            }
            return free.max { ($0.priority, $1.job) < ($1.priority, $0.job) }
        }

        /// Whether a worker has no job for one that is isolating.
        var canIsolate: Bool {
            guard hasRoom, !isolating.isEmpty else { return false }
            return isolating.contains { jobs(at: $0.member).isEmpty } || open.contains { jobs(at: $0).isEmpty }
        }

        mutating func set(_ job: JobID, _ phase: Phase) {
            guard let index = entries.firstIndex(where: { $0.job == job }) else { return }
            entries[index].phase = phase
        }

        /// Starts a job at a worker, whose other jobs it becomes a neighbour of.
        mutating func begin(_ job: JobID, at member: String) {
            let neighbours = Set(jobs(at: member).map(\.job))
            for index in entries.indices where neighbours.contains(entries[index].job) {
                entries[index].hadNeighbour = true
            }
            set(job, .running(member))
            guard let index = entries.firstIndex(where: { $0.job == job }) else { return }
            entries[index].hadNeighbour = !neighbours.isEmpty
        }

        /// Lets the jobs of workers that are not present any more wait again.
        mutating func endReservations(except isKept: (JobID, String) -> Bool = { _, _ in false }) {
            for (entry, member) in isolating where !isKept(entry.job, member) { set(entry.job, .waiting) }
        }
    }

    /// One random run. Everything that the queue does is compared with the model.
    private struct Run {
        static let names = ["a", "b", "c", "d"]
        static let maximumWaiting = 30

        var random: SplitMix
        var state: JobQueueState<String>
        var model: Model
        var lastJob: UInt64 = 0
        var ended: [JobID: Int] = [:]

        init(random: SplitMix, places: Int) {
            self.random = random
            state = JobQueueState(maximumWaiting: Self.maximumWaiting, places: places)
            model = Model(places: places)
        }

        mutating func step() {
            switch random.below(12) {
            case 0...3: add()
            case 4, 5: if let job = anyRunning() { end(job) }
            case 6: if let job = anyRunning() { delay(job) }
            case 7: resumeOrRemove()
            case 8: changeMembers()
            case 9: leave()
            case 10: if let job = anyRunning() { putBack(job) }
            default:
                let width = random.below(3) == 0 ? nil : 1 + random.below(4)
                state.setWidth(width)
                model.width = width
            }
            start()
        }

        private mutating func anyRunning() -> JobID? {
            let running = model.running
            return running.isEmpty ? nil : running[random.below(running.count)].job
        }

        mutating func add() {
            lastJob += 1
            let (priority, key) = (random.below(3), [nil, nil, "k", "l"][random.below(4)])
            let company: JobCompany = random.below(4) == 0 ? .alone : .shared
            let isAdded = state.add(JobID(lastJob), priority: priority, key: key, in: company)
            #expect(isAdded == (model.entries.count - model.running.count < Self.maximumWaiting))
            guard isAdded else { return }
            model.entries.append(.init(job: JobID(lastJob), priority: priority, key: key, company: company))
        }

        private func checkNeighbours(of job: JobID) {
            let entry = model.entries.first { $0.job == job }
            #expect(state.hadNeighbour(job) == entry?.hadNeighbour)
            if entry?.company == .alone { #expect(!state.hadNeighbour(job)) }
        }

        mutating func putBack(_ job: JobID) {
            checkNeighbours(of: job)
            let isAlone = random.below(2) == 0
            state.putBack(job, in: isAlone ? .alone : nil)
            guard let index = model.entries.firstIndex(where: { $0.job == job }) else { return }
            if isAlone { model.entries[index].company = .alone }
            model.entries[index].phase = .waiting
        }

        mutating func end(_ job: JobID) {
            checkNeighbours(of: job)
            state.end(job)
            model.entries.removeAll { $0.job == job }
            ended[job, default: 0] += 1
        }

        mutating func delay(_ job: JobID) {
            state.delay(job)
            model.set(job, .delayed)
        }

        mutating func resumeOrRemove() {
            guard !model.entries.isEmpty else { return }
            let entry = model.entries[random.below(model.entries.count)]
            if random.below(2) == 0 {
                let isRunning = if case .running = entry.phase { true } else { false }
                let isRemoved = state.remove(entry.job)
                #expect(isRemoved == !isRunning)
                guard !isRunning else { return }
                model.entries.removeAll { $0.job == entry.job }
                ended[entry.job, default: 0] += 1
            } else if case .delayed = entry.phase {
                state.resume(entry.job)
                model.set(entry.job, .waiting)
            }
        }

        mutating func changeMembers() {
            let present = Self.names.filter { _ in random.below(2) == 0 }
            state.serve(present)
            model.members = Set(present)
            model.endReservations { _, member in present.contains(member) }
        }

        /// Ends a worker, which the next list of workers brings back under the same name.
        mutating func leave() {
            let member = Self.names[random.below(Self.names.count)]
            state.leave(member)
            state.serve(Self.names.filter { $0 != member && model.members.contains($0) })
            model.members.remove(member)
            model.endReservations { $1 != member }
        }

        mutating func start() {
            for start in state.takeStarts() {
                isolate()
                let jobs = model.jobs(at: start.member)
                if let own = model.isolating.first(where: { $0.entry.job == start.job }) {
                    #expect(jobs.isEmpty && (own.member == start.member || model.open.contains(start.member)))
                } else {
                    #expect(start.job == model.next?.job && model.open.contains(start.member))
                    #expect(jobs.isEmpty || model.next?.company == .shared)
                    #expect(model.open.allSatisfy { model.jobs(at: $0).count >= jobs.count })
                }
                model.begin(start.job, at: start.member)
            }
            isolate()
            #expect(model.next == nil && !model.canIsolate)
            #expect(state.runningCount == model.running.count && state.memberCount == model.members.count)
            #expect(state.jobs == model.entries.map(\.job))
            #expect(Set(state.reservations.map(\.job)) == Set(model.isolating.map(\.entry.job)))
        }

        /// Lets the jobs isolate that come next, run alone, and find no worker without jobs.
        private mutating func isolate() {
            while let next = model.next, next.company == .alone,
                !model.open.contains(where: { model.jobs(at: $0).isEmpty }),
                let member = state.reservations.first(where: { $0.job == next.job })?.member
            {
                let jobs = model.jobs(at: member)
                #expect(model.open.contains(member) && model.open.allSatisfy { model.jobs(at: $0).count >= jobs.count })
                model.set(next.job, .isolating(member))
            }
        }

        /// Ends everything that is left.
        mutating func finish() {
            state.setWidth(nil)
            model.width = nil
            state.serve(Self.names)
            model.members = Set(Self.names)
            for entry in model.entries {
                if case .delayed = entry.phase {
                    state.resume(entry.job)
                    model.set(entry.job, .waiting)
                }
            }
            start()
            while let job = anyRunning() {
                end(job)
                start()
            }
            #expect(model.entries.isEmpty && state.jobs.isEmpty)
            #expect(ended.values.allSatisfy { $0 == 1 })
        }
    }

    @Test(
        "Over random inputs each job ends once, and the order, the keys, the width, the places and the limit hold",
        arguments: 1...20,
        [1, 2, 4]
    )
    func random(seed: UInt64, places: Int) {
        var run = Run(random: SplitMix(seed: seed), places: places)
        for _ in 0..<500 { run.step() }
        run.finish()
    }
}
