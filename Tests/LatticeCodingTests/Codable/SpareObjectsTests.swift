import LatticeConcurrency
import Synchronization
import Testing

@testable import LatticeCoding

struct SpareObjectsTests {
    /// Says when it ends, and whether two have it at a time.
    private final class Core: Sendable {
        let isTaken = Atomic(false)
        private let living: Counter

        init(_ living: Counter) {
            self.living = living
            living.count.add(1, ordering: .relaxed)
        }

        deinit {
            living.count.subtract(1, ordering: .relaxed)
        }
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
    }

    private final class Shared: Sendable {
        let spare = SpareObjects<Core>()
        let doubles = Atomic(0)
    }

    @Test("A thread gets its spare object back, and a second spare object is released")
    func oneIsKept() {
        let living = Counter()
        let spare = SpareObjects<Core>()
        #expect(spare.take() == nil)
        let first = Core(living)
        spare.keep(first)
        spare.keep(Core(living))
        #expect(living.value == 1)
        #expect(spare.take() === first)
        #expect(spare.take() == nil)
    }

    @Test("A spare object is released with its store")
    func whatIsKeptEnds() {
        let living = Counter()
        do {
            let spare = SpareObjects<Core>()
            spare.keep(Core(living))
            #expect(living.value == 1)
        }
        #expect(living.value == 0)
    }

    @Test("No two threads have the same object at a time, also with more threads than slots")
    func manyThreads() async throws {
        let (shared, living) = (Shared(), Counter())
        let ends = (0..<40).map { _ in OneShot<Void>() }
        for end in ends {
            try SystemThread.start(name: "spare") {
                for _ in 0..<2000 {
                    let core = shared.spare.take() ?? Core(living)
                    if core.isTaken.exchange(true, ordering: .acquiring) { shared.doubles.add(1, ordering: .relaxed) }
                    core.isTaken.store(false, ordering: .releasing)
                    shared.spare.keep(core)
                }
                end.complete(())
            }
        }
        for end in ends { await end.wait() }
        #expect(shared.doubles.load(ordering: .relaxed) == 0)
        #expect(living.value <= SpareObjects<Core>.count)
    }
}
