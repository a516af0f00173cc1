import LatticeConcurrency
import Testing

/// Tests values that belong to the thread of an event loop.
struct LoopBoundTests {
    private final class Owned: Sendable {}

    private struct Parts {
        var first = [1]
        var second = [2]
    }

    @Test("The loop's thread reads and changes the value, also two parts of it at the same time")
    func ownThread() {
        let thread = LoopThread()
        let bound = LoopBound(Parts(), to: thread)
        #expect(!thread.isCurrent)
        thread.begin()
        #expect(thread.isCurrent)
        func change(_ part: inout [Int]) {
            bound.value.second.append(3)
            part += bound.value.second
        }
        change(&bound.value.first)
        #expect(bound.value.first == [1, 2, 3] && bound.value.second == [2, 3])
        thread.end()
        #expect(!thread.isCurrent)
    }

    @Test("The value is released with its owner, on any thread")
    func release() {
        weak var owned: Owned?
        do {
            let value = Owned()
            owned = value
            let bound = LoopBound<Owned>(value, to: LoopThread())
            withExtendedLifetime(bound) {}
        }
        #expect(owned == nil)
    }

    #if DEBUG
    @Test("A debug build ends the program if another thread opens the value")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            let bound = LoopBound(1, to: LoopThread())
            bound.value += 1
        }
        await #expect(processExitsWith: .failure) {
            let bound = LoopBound(1, to: LoopThread())
            print(bound.value)
        }
    }
    #endif
}
