import LatticeConcurrency
import Testing

@testable import LatticeCoordinator

@Suite struct SharingQueueTests {
    /// A queue, and what was done of the jobs that bear these names.
    private final class Sharing: Sendable {
        private let queue = Locked(SharingQueue())
        private let names = Locked<[String]>([])

        var done: [String] { names.withLock(\.self) }

        func show(_ name: String) -> Bool { queue.withLock { $0.show(isLong: false, job(name)) } }
        func perform(_ name: String) -> Bool { queue.withLock { $0.perform(isLong: false, job(name)) } }

        /// - Returns: Whether anything waited.
        func doNext() -> Bool {
            guard let jobs = queue.withLock({ $0.next() }) else { return false }
            for work in jobs { work.job() }
            return true
        }

        private func job(_ name: String) -> SharingQueue.Job {
            { [self] in names.withLock { $0.append(name) } }
        }
    }

    @Test("An idle queue performs work at once, on the caller")
    func idle() {
        let sharing = Sharing()
        for _ in 1...2 {
            #expect(sharing.perform("an end"))
            #expect(!sharing.doNext())
            #expect(sharing.show("a state"))
            #expect(!sharing.doNext())
        }
        // By the caller.
        #expect(sharing.done == [])
    }

    @Test("A busy queue keeps work in order, and shows only the newest view state, in the place of the first")
    func busy() {
        let sharing = Sharing()
        #expect(sharing.show("1"))
        #expect(!sharing.perform("end of 1"))
        #expect(!sharing.show("2"))
        #expect(!sharing.perform("end of 2"))
        #expect(!sharing.show("3"))
        #expect(!sharing.perform("end of 3"))
        #expect(sharing.doNext())
        #expect(sharing.done == ["end of 1", "3", "end of 2", "end of 3"])
        // The caller of `doNext` is still working.
        #expect(!sharing.show("4"))
        #expect(!sharing.perform("end of 4"))
        #expect(sharing.doNext())
        #expect(sharing.done.suffix(2) == ["4", "end of 4"])
        #expect(!sharing.doNext())
        #expect(sharing.perform("later"))
    }
}
