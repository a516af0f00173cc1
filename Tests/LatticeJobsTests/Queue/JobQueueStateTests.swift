import Testing

@testable import LatticeJobs

/// A queue as an object, so that an expectation can change it.
private final class TestQueue {
    var state: JobQueueState<String>

    init(maximumWaiting: Int = 10, width: Int? = nil, places: Int = 1) {
        state = JobQueueState(maximumWaiting: maximumWaiting, width: width, places: places)
    }

    func add(_ number: UInt64, priority: Int = 0, key: String? = nil, in company: JobCompany = .shared) -> Bool {
        state.add(JobID(number), priority: priority, key: key, in: company)
    }

    func remove(_ number: UInt64) -> Bool { state.remove(JobID(number)) }

    /// Returns the jobs that start and their workers.
    func starts() -> [String] { state.takeStarts().map { "\($0.job.number)\($0.member)" } }

    /// Returns the numbers of the jobs that start.
    func numbers() -> [UInt64] { state.takeStarts().map(\.job.number) }
}

/// Workers are letters, and jobs numbers.
struct JobQueueStateTests {
    @Test("Jobs start by priority, and those of one priority in their order")
    func order() {
        let queue = TestQueue()
        for (number, priority) in [(1, 0), (2, 1), (3, 0), (4, -1), (5, 1)] {
            #expect(queue.add(UInt64(number), priority: priority))
        }
        queue.state.serve(["a"])
        var order: [UInt64] = []
        while let number = queue.numbers().first {
            order.append(number)
            queue.state.end(JobID(number))
        }
        #expect(order == [2, 5, 1, 3, 4])
    }

    @Test("At most one job of a key runs, and others may pass those that wait for it")
    func keys() {
        let queue = TestQueue()
        for (number, key) in [(1, "k"), (2, "k"), (3, nil), (4, "l")] as [(UInt64, String?)] {
            #expect(queue.add(number, key: key))
        }
        queue.state.serve(["a", "b", "c", "d"])
        #expect(Set(queue.numbers()) == [1, 3, 4])
        queue.state.end(JobID(3))
        #expect(queue.numbers().isEmpty)
        queue.state.end(JobID(1))
        #expect(queue.numbers() == [2])
    }

    @Test("When the job that would start next for its key is removed, the next one of that key starts")
    func removedKey() {
        let queue = TestQueue(width: 2)
        for number in 1...3 { #expect(queue.add(UInt64(number), key: "k")) }
        #expect(queue.add(4))
        queue.state.serve(["a", "b"])
        #expect(queue.numbers() == [1, 4])
        queue.state.setWidth(1)
        queue.state.end(JobID(1))
        #expect(queue.numbers().isEmpty && queue.remove(2))
        queue.state.end(JobID(4))
        #expect(queue.numbers() == [3])
    }

    @Test("The queue refuses a job more than its limit, which counts delayed jobs and not running ones")
    func limit() {
        let queue = TestQueue(maximumWaiting: 2)
        queue.state.serve(["a"])
        #expect(queue.add(1))
        #expect(queue.starts() == ["1a"])
        #expect(queue.add(2) && queue.add(3) && !queue.add(4))
        #expect(queue.remove(2) && queue.add(5))
        #expect(!queue.remove(1))
        queue.state.delay(JobID(1))
        #expect(queue.state.waitingCount == 3 && !queue.add(6))
    }

    @Test("A delayed job keeps its place in the order")
    func delayed() {
        let queue = TestQueue()
        queue.state.serve(["a"])
        for number in 1...3 { #expect(queue.add(UInt64(number))) }
        #expect(queue.starts() == ["1a"])
        queue.state.delay(JobID(1))
        #expect(queue.starts() == ["2a"])
        queue.state.resume(JobID(1))
        queue.state.end(JobID(2))
        #expect(queue.starts() == ["1a"])
    }

    @Test("A worker that left gets no jobs, even if an old list of workers still contains it")
    func left() {
        let queue = TestQueue()
        queue.state.serve(["a"])
        #expect(queue.add(1) && queue.add(2))
        #expect(queue.starts() == ["1a"])
        queue.state.leave("a")
        queue.state.end(JobID(1))
        queue.state.serve(["a"])
        #expect(queue.starts().isEmpty)
        queue.state.serve(["b"])
        #expect(queue.starts() == ["2b"])
    }

    @Test("A worker with several places takes as many jobs, and a job goes where the fewest are")
    func places() {
        let queue = TestQueue(places: 2)
        queue.state.serve(["a", "b"])
        for number in 1...5 { #expect(queue.add(UInt64(number))) }
        #expect(queue.starts() == ["1a", "2b", "3b", "4a"])
        queue.state.end(JobID(2))
        #expect(queue.starts() == ["5b"])
        #expect(queue.state.jobs(at: "b") == [JobID(3), JobID(5)] && queue.state.runningCount == 4)
    }

    @Test("A job that runs alone waits until a worker has no job, which takes none until then and none beside it")
    func alone() {
        let queue = TestQueue(places: 2)
        queue.state.serve(["a"])
        #expect(queue.add(1) && queue.add(2) && queue.add(3, in: .alone) && queue.add(4))
        #expect(queue.starts() == ["1a", "2a"])
        queue.state.end(JobID(1))
        #expect(queue.starts().isEmpty && queue.state.reservations == [.init(job: JobID(3), member: "a")])
        #expect(queue.state.waitingCount == 2)
        queue.state.end(JobID(2))
        #expect(queue.starts() == ["3a"])
        queue.state.end(JobID(3))
        #expect(queue.starts() == ["4a"])
    }

    @Test("A job that runs alone starts where a worker is free first, and gives its reservation back")
    func reservations() {
        let queue = TestQueue(places: 2)
        queue.state.serve(["a", "b"])
        for number in 1...4 { #expect(queue.add(UInt64(number))) }
        #expect(queue.starts() == ["1a", "2b", "3b", "4a"])
        #expect(queue.add(5, key: "k", in: .alone) && queue.add(6, key: "k"))
        queue.state.end(JobID(1))
        #expect(queue.starts().isEmpty && queue.state.reservations.map(\.member) == ["a"])
        for number in [2, 3] as [UInt64] { queue.state.end(JobID(number)) }
        #expect(queue.starts() == ["5b"] && queue.state.reservations.isEmpty)
        // The next one reserves a worker, is removed, and leaves its worker and its key to others.
        #expect(queue.add(7, in: .alone) && queue.add(8))
        #expect(queue.starts().isEmpty && queue.remove(7))
        #expect(queue.starts() == ["8a"])
        queue.state.end(JobID(8))
        #expect(queue.add(9, in: .alone) && queue.starts().isEmpty)
        queue.state.leave("a")
        #expect(queue.state.reservations.isEmpty)
        // The job that had waited for its key was submitted first.
        queue.state.end(JobID(5))
        #expect(queue.starts() == ["6b"] && queue.state.reservations.map(\.job) == [JobID(9)])
        queue.state.end(JobID(6))
        #expect(queue.starts() == ["9b"])
    }

    @Test("An attempt had a neighbour if another job ran in its worker at any time of it")
    func neighbours() {
        let queue = TestQueue(places: 2)
        queue.state.serve(["a"])
        #expect(queue.add(1) && queue.starts() == ["1a"])
        #expect(!queue.state.hadNeighbour(JobID(1)))
        #expect(queue.add(2) && queue.starts() == ["2a"])
        queue.state.end(JobID(2))
        #expect(queue.state.hadNeighbour(JobID(1)))
        queue.state.putBack(JobID(1), in: .alone)
        #expect(queue.add(3) && queue.starts() == ["1a"])
        #expect(!queue.state.hadNeighbour(JobID(1)))
    }
}
