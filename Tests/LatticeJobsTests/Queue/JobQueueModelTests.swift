import ByteTestSupport
import Testing

@testable import LatticeJobs

/// Compares the queue with a slow model that searches all jobs, over random inputs.
struct JobQueueModelTests {
    private struct Model {
        enum Phase { case waiting, running(String), delayed }

        struct Entry {
            let job: JobID
            let priority: Int
            let key: String?
            var phase = Phase.waiting
        }

        var entries: [Entry] = []
        var members: Set<String> = []
        var width: Int?

        var running: [Entry] { entries.filter { if case .running = $0.phase { true } else { false } } }
        var busy: Set<String> {
            Set(entries.compactMap { if case .running(let member) = $0.phase { member } else { nil } })
        }

        /// The job that must start next, or nil if none may start.
        var next: JobID? {
            guard running.count < width ?? .max, !members.subtracting(busy).isEmpty else { return nil }
            let keys = Set(running.compactMap(\.key))
            let free = entries.filter { entry in
                if case .waiting = entry.phase { entry.key.map { !keys.contains($0) } ?? true } else { false }
            }
            return free.max { ($0.priority, $1.job) < ($1.priority, $0.job) }?.job
        }

        mutating func set(_ job: JobID, _ phase: Phase) {
            guard let index = entries.firstIndex(where: { $0.job == job }) else { return }
            entries[index].phase = phase
        }
    }

    /// One random run. Everything that the queue does is compared with the model.
    private struct Run {
        static let names = ["a", "b", "c", "d"]
        static let maximumWaiting = 30

        var random: SplitMix
        var state = JobQueueState<String>(maximumWaiting: maximumWaiting)
        var model = Model()
        var lastJob: UInt64 = 0
        var ended: [JobID: Int] = [:]

        mutating func step() {
            switch random.below(10) {
            case 0...3: add()
            case 4, 5: if let job = anyRunning() { end(job) }
            case 6: if let job = anyRunning() { delay(job) }
            case 7: resumeOrRemove()
            case 8: changeMembers()
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
            let isAdded = state.add(JobID(lastJob), priority: priority, key: key)
            #expect(isAdded == (model.entries.count - model.running.count < Self.maximumWaiting))
            if isAdded { model.entries.append(.init(job: JobID(lastJob), priority: priority, key: key)) }
        }

        mutating func end(_ job: JobID) {
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
        }

        mutating func start() {
            for start in state.takeStarts() {
                #expect(start.job == model.next)
                #expect(model.members.contains(start.member) && !model.busy.contains(start.member))
                model.set(start.job, .running(start.member))
            }
            #expect(model.next == nil)
            #expect(state.runningCount == model.running.count && state.memberCount == model.members.count)
            #expect(state.jobs == model.entries.map(\.job))
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
        "Over random inputs each job ends once, and the order, the keys, the width and the limit hold",
        arguments: 1...20
    )
    func random(seed: UInt64) {
        var run = Run(random: SplitMix(seed: seed))
        for _ in 0..<500 { run.step() }
        run.finish()
    }
}
