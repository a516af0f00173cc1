import LatticeConcurrency
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeCoordinator

/// Looks at what a script says that a worker has.
@Suite(.timeLimit(.minutes(10))) struct MemoryWatchTests {
    private static let limits = WorkerLimits(memoryBytes: 1 << 20)

    /// Readings of memory in order. The last one repeats.
    private final class Script: Sendable {
        let looks = Watched(0)
        private let bytes: [Int?]

        init(_ bytes: [Int?]) {
            self.bytes = bytes
        }

        func next() -> Int? {
            looks.change { $0 += 1 }
            return bytes[min(looks.value, bytes.count) - 1]
        }
    }

    @Test("A worker above its memory limit is reported once, and no longer watched")
    func passed() async throws {
        try await withReactor { reactor in
            let script = Script([1 << 10, nil, 1 << 20, (1 << 20) + 1, 1 << 30])
            let watch = MemoryWatch(Self.limits, eventLoop: reactor)
            let reported = Watched<[[Int]]>([])
            watch.start {
                script.next()
            } onPassed: { bytes, limit in
                reported.change { $0.append([bytes, limit]) }
            }
            try await reported.until { !$0.isEmpty }
            // Behind the time at which it would be looked at again.
            let later = OneShot<Void>()
            reactor.execute { reactor.after(milliseconds: MemoryWatch.interval * 2) { later.complete() } }
            await later.wait()
            #expect(reported.value == [[(1 << 20) + 1, 1 << 20]])
            #expect(script.looks.value == 4)
            #expect(watch.end())
            #expect(!watch.end())
        }
    }

    @Test("A worker that has ended is no longer watched")
    func ended() async throws {
        try await withReactor { reactor in
            let script = Script([1 << 10, 1 << 30])
            let watch = MemoryWatch(Self.limits, eventLoop: reactor)
            watch.start {
                let bytes = script.next()
                // While it is looked at.
                if script.looks.value == 2 { #expect(!watch.end()) }
                return bytes
            } onPassed: { _, _ in
                Issue.record("it has ended")
            }
            try await script.looks.until { $0 == 2 }
            let later = OneShot<Void>()
            reactor.execute { reactor.after(milliseconds: MemoryWatch.interval * 2) { later.complete() } }
            await later.wait()
            #expect(script.looks.value == 2)
        }
    }

    @Test("A worker without a memory limit is not watched")
    func unlimited() async throws {
        try await withReactor { reactor in
            let watch = MemoryWatch(WorkerLimits(openFiles: 64), eventLoop: reactor)
            watch.start {
                Issue.record("it was looked at")
                return nil
            } onPassed: { _, _ in
                Issue.record("there is no limit")
            }
            let behind = OneShot<Void>()
            reactor.execute { behind.complete() }
            await behind.wait()
            #expect(!watch.end())
        }
    }
}
