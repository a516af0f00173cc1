import LatticeConcurrency
import Testing

@testable import LatticeCoordinator

@Suite struct SharingQueueTests {
    /// A queue, and what was done of the operations that bear these names.
    private final class Sharing: Sendable {
        private let queue = Locked(SharingQueue())
        private let names = Locked<[String]>([])

        var done: [String] { names.withLock(\.self) }

        func begin() -> Bool { queue.withLock { $0.begin() } }

        func add(_ name: String, shows: Bool = false) {
            queue.withLock { queue in
                queue.add(
                    { [self] in
                        names.withLock { $0.append(name) }
                        return .done
                    },
                    shows: shows
                )
            }
        }

        /// Ends the running operation, and runs the next one.
        ///
        /// - Returns: Whether any was waiting.
        func doNext() -> Bool {
            guard let operation = queue.withLock({ $0.next() }) else { return false }
            _ = operation()
            return true
        }
    }

    @Test("An idle queue lets an operation begin, and a busy one does not")
    func idle() {
        let sharing = Sharing()
        for _ in 1...2 {
            #expect(sharing.begin())
            #expect(!sharing.begin())
            #expect(!sharing.doNext())
        }
    }

    @Test("A busy queue keeps the order, and shows only the newest view state, in the place of the first")
    func busy() {
        let sharing = Sharing()
        #expect(sharing.begin())
        for number in 1...3 {
            sharing.add("\(number)", shows: true)
            sharing.add("end of \(number)")
        }
        while sharing.done.count < 3 { #expect(sharing.doNext()) }
        #expect(sharing.done == ["3", "end of 1", "end of 2"])
        // The last of them is still running.
        #expect(!sharing.begin())
        sharing.add("4", shows: true)
        #expect(sharing.doNext())
        #expect(sharing.doNext())
        #expect(sharing.done.suffix(2) == ["end of 3", "4"])
        #expect(!sharing.doNext())
        #expect(sharing.begin())
    }
}
