import LatticeConcurrency
import Testing

@Suite(.timeLimit(.minutes(3)))
struct LockedTests {
    @Test("Changes of several threads come one after the other, and the thread sanitizer knows it")
    func contention() async {
        let numbers = Counted()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5000 { numbers.add() } }
            }
        }
        #expect(numbers.total == 40_000)
    }

    @Test("An error comes through, and the lock is free after it")
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
}

/// Whose change is long enough for another thread to come across it: it moves a number within an array.
private struct Failure: Error {}

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
