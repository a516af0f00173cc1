#if os(Linux)
import CLatticeThreads
import Glibc
import LatticeConcurrency
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GateTests {
    private final class Door: Sendable {
        let gate = Gate()
        let inside = Atomic(0)
        let maximumInside = Atomic(0)
        let passed = Atomic(0)

        func pass() {
            gate.enter()
            maximumInside.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            // Now and then for long enough that the others sleep.
            if passed.add(1, ordering: .relaxed).newValue.isMultiple(of: 64) { usleep(100) }
            inside.subtract(1, ordering: .relaxed)
            gate.leave()
        }
    }

    @Test("A thread that waits at the gate sleeps, and is woken when the gate is left")
    func sleeping() async throws {
        let door = Door()
        door.gate.enter()
        let (thread, hasPassed) = (OneShot<Int32>(), OneShot<Void>())
        try SystemThread.start(name: "test") {
            thread.complete(lattice_thread_number())
            door.gate.enter()
            door.gate.leave()
            hasPassed.complete(())
        }
        let number = try await thread.value
        while !isAsleep(number) { await Task.yield() }
        door.gate.leave()
        try await hasPassed.value
    }

    @Test("Each of hundreds of threads passes the gate, one at a time")
    func crowd() async throws {
        let door = Door()
        let hasEnded = (0..<300).map { _ in OneShot<Void>() }
        for end in hasEnded {
            try SystemThread.start(name: "test") {
                for _ in 0..<50 { door.pass() }
                end.complete(())
            }
        }
        for end in hasEnded { try await end.value }
        #expect(door.passed.load(ordering: .relaxed) == 15_000)
        #expect(door.maximumInside.load(ordering: .relaxed) == 1)
    }

    private func isAsleep(_ thread: Int32) -> Bool {
        guard let file = fopen("/proc/self/task/\(thread)/stat", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return false }
        return String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") S ")
    }
}
#endif
