import LatticeConcurrency
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LockedTests {
    @Test("Changes by several threads are serialised, and the thread sanitizer sees it")
    func contention() async {
        let numbers = Counted()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5000 { numbers.add() } }
            }
        }
        #expect(numbers.total == 40_000)
    }

    @Test("An error is rethrown, and the lock is free after it")
    func error() {
        let locked = Locked(0)
        #expect(throws: Failure.self) {
            try locked.withLock { value in
                value = 1
                throw Failure()
            }
        }
        #expect(locked.withLock { $0 } == 1)
    }

    @Test("A result whose deinit takes the lock is released after the lock is free")
    func releaseAfterUnlock() {
        let members = Members()
        members.add(Member(of: members))
        members.removeAll()
        #expect(members.ended == 1)
    }
}

/// Keeps members, each of which reports its end.
private final class Members: Sendable {
    private let state = Locked((members: [Member](), ended: 0))

    var ended: Int { state.withLock { $0.ended } }

    func add(_ member: Member) { state.withLock { $0.members.append(member) } }

    func reportEnd() { state.withLock { $0.ended += 1 } }

    func removeAll() {
        state.releaseAfterUnlock { state in
            defer { state.members = [] }
            return state.members
        }
    }
}

private final class Member: Sendable {
    private let group: Members

    init(of group: Members) { self.group = group }

    deinit { group.reportEnd() }
}

private struct Failure: Error {}

/// A counter that moves a number within an array. The change takes long enough for another thread to interfere with it.
private final class Counted: Sendable {
    private let numbers = Locked(Array(repeating: 0, count: 16))

    var total: Int { numbers.withLock { $0.reduce(0, +) } }

    func add() {
        numbers.withLock { numbers in
            for index in numbers.indices.dropLast() { numbers.swapAt(index, index + 1) }
            numbers[0] += 1
        }
    }
}
