import ByteTestSupport
import LatticeCalls
import Testing

@testable import LatticeJobs

/// Clients are numbers, of which 0 is the program of the pool.
struct FairJobQueueTests {
    private static func client(_ number: UInt64) -> CallerIdentity? {
        number == 0 ? nil : CallerIdentity(session: ObjectIdentifier(FairJobQueueTests.self), origin: number)
    }

    /// Returns the numbers of all jobs in their order.
    private static func takeAll(_ queue: inout FairJobQueue) -> [UInt64] {
        var order: [UInt64] = []
        while let place = queue.takeFirst(where: { _ in true }) { order.append(place.job.number) }
        return order
    }

    @Test("Clients take turns within a priority, and the jobs of one client start in their order")
    func turns() {
        var queue = FairJobQueue()
        let rows: [(job: UInt64, client: UInt64, priority: Int)] = [
            (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 1, 0), (5, 1, 0), (6, 2, 0), (7, 0, 1), (8, 0, 1), (9, 2, 1),
        ]
        for (job, client, priority) in rows {
            queue.insert(.init(priority: priority, client: Self.client(client), job: JobID(job)))
        }
        let order = Self.takeAll(&queue)
        #expect(order == [7, 9, 8, 1, 4, 6, 2, 5, 3])
        #expect(queue.isEmpty)
    }

    @Test("A client with one job does not wait for another one with 10,000, also if that one was there first")
    func manyJobs() {
        var state = JobQueueState<String>(maximumWaiting: 20_000)
        state.serve(["a"])
        for job in 1...10_000 {
            let isAdded = state.add(JobID(UInt64(job)), priority: 0, key: nil, of: Self.client(1))
            #expect(isAdded)
        }
        for job in 1...100 {
            let started = state.takeStarts().map(\.job.number)
            #expect(started == [UInt64(job)])
            state.end(JobID(UInt64(job)))
        }
        let isAdded = state.add(JobID(20_000), priority: 0, key: nil, of: Self.client(2))
        #expect(isAdded)
        var order: [UInt64] = []
        for _ in 1...4 {
            for start in state.takeStarts() {
                order.append(start.job.number)
                state.end(start.job)
            }
        }
        #expect(order == [101, 20_000, 102, 103])
    }

    @Test("A job whose attempt did not begin gives its client the next turn, also if it is the client's only one")
    func putBack() {
        var state = JobQueueState<String>(maximumWaiting: 100)
        for (job, client) in [(1, 1), (2, 2), (3, 3), (4, 2)] as [(UInt64, UInt64)] {
            let isAdded = state.add(JobID(job), priority: 0, key: nil, of: Self.client(client))
            #expect(isAdded)
        }
        state.serve(["a"])
        var order: [UInt64] = []
        var putBack: Set<UInt64> = [1, 2]
        for _ in 1...6 {
            guard let job = state.takeStarts().first?.job else { break }
            order.append(job.number)
            if putBack.remove(job.number) != nil { state.putBack(job) } else { state.end(job) }
        }
        #expect(order == [1, 1, 2, 2, 3, 4])
    }

    @Test("A client whose jobs were all removed keeps no turn, and jobs that may not run take none")
    func removed() {
        var queue = FairJobQueue()
        for (job, client) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] as [(UInt64, UInt64)] {
            queue.insert(.init(priority: 0, client: Self.client(client), job: JobID(job)))
        }
        queue.keep { $0.number > 2 }
        // The first job of the client is passed over, and the client still has its turn.
        let passed = queue.takeFirst { $0.job.number != 3 }
        let next = queue.takeFirst { _ in true }
        #expect(passed?.job.number == 4 && next?.job.number == 5 && queue.isEmpty)
        let none = queue.takeFirst { _ in true }
        #expect(none == nil)
        queue.insert(.init(priority: -1, client: nil, job: JobID(6)))
        queue.keep { _ in false }
        #expect(queue.isEmpty)
    }

    @Test(
        "A job that waits for its key does not keep the jobs of other clients waiting, and those of its key take turns"
    )
    func keys() {
        var state = JobQueueState<String>(maximumWaiting: 100)
        for job in 1...4 as ClosedRange<UInt64> {
            let isAdded = state.add(JobID(job), priority: 0, key: "disk", of: Self.client(1))
            #expect(isAdded)
        }
        let isAdded = state.add(JobID(5), priority: 0, key: "disk", of: Self.client(2))
        #expect(isAdded)
        let isLastAdded = state.add(JobID(6), priority: 0, key: nil, of: Self.client(3))
        #expect(isLastAdded)
        state.serve(["a", "b"])
        let first = Set(state.takeStarts().map(\.job.number))
        #expect(first == [1, 6])
        var order: [UInt64] = []
        var running = JobID(1)
        for _ in 1...4 {
            state.end(running)
            guard let start = state.takeStarts().first else { break }
            running = start.job
            order.append(running.number)
        }
        #expect(Set(order) == [2, 3, 4, 5] && order.firstIndex(of: 5) ?? 9 <= 1, "\(order)")
    }

    @Test("Over random inputs, each job is taken once, and no client is ahead of another by more than a turn")
    func random() {
        var random = SplitMix(seed: 7)
        for _ in 0..<50 {
            var queue = FairJobQueue()
            var left: [UInt64: Int] = [:]
            for job in 1...60 as ClosedRange<UInt64> {
                let client = UInt64(random.below(4))
                left[client, default: 0] += 1
                queue.insert(.init(priority: 0, client: Self.client(client), job: JobID(job * 10 + client)))
            }
            var taken: [UInt64: Int] = [:]
            while let place = queue.takeFirst(where: { _ in true }) {
                let client = place.job.number % 10
                taken[client, default: 0] += 1
                left[client, default: 0] -= 1
                let waiting = left.filter { $0.value > 0 }.keys
                for other in waiting { #expect(taken[client, default: 0] - taken[other, default: 0] <= 1) }
            }
            #expect(left.values.allSatisfy { $0 == 0 } && queue.isEmpty)
        }
    }
}
