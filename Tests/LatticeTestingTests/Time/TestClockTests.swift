import LatticeConcurrency
import LatticeCore
import LatticeTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TestClockTests {
    private let clock = TestClock()
    private let events = Events()

    /// Sleeps one after the other and writes down what it is.
    private func sleep(_ seconds: [Int], as name: String) async throws {
        for (step, second) in seconds.enumerated() {
            try await clock.sleep(for: .seconds(second))
            events.add("\(name)\(step)")
        }
    }

    @Test func standsStillUntilItIsMoved() async {
        #expect(clock.now == TestInstant(offset: .zero))
        #expect(TestClock(now: TestInstant(offset: .seconds(5))).now == TestClock.Instant(offset: .seconds(5)))
        await clock.advance(by: .seconds(3))
        #expect(clock.now.offset == .seconds(3))
        await clock.advance(to: TestInstant(offset: .seconds(4)))
        #expect(clock.now.offset == .seconds(4))
        #expect(clock.minimumResolution == .nanoseconds(1))
    }

    @Test("Work that async let has only started has run when advance returns (contract 15)", arguments: 1...20)
    func advanceBeforeSleeping(_ run: Int) async throws {
        async let work: Void = sleep([1, 1], as: "a")
        await clock.advance(by: .milliseconds(999))
        #expect(events.all == [])
        await clock.advance(by: .milliseconds(1))
        #expect(events.all == ["a0"])
        await clock.advance(by: .seconds(1))
        #expect(events.all == ["a0", "a1"])
        try await work
    }

    @Test("Sleepers wake in the order of their deadlines, also if they start to sleep meanwhile (contract 15)")
    func orderOfDeadlines() async throws {
        async let late: Void = sleep([5], as: "late")
        async let often: Void = sleep([2, 2, 2], as: "often")
        async let soon: Void = sleep([1], as: "soon")
        await clock.advance(by: .seconds(6))
        #expect(events.all == ["soon0", "often0", "often1", "late0", "often2"])
        _ = try await (late, often, soon)
    }

    @Test("Work on the main actor and after several hops has run when advance returns (contract 15)")
    @MainActor
    func workBehindHops() async throws {
        actor Cell {
            var value = 0
            func set(_ value: Int) { self.value = value }
        }
        let cell = Cell()
        let clock = clock
        @MainActor @Sendable func work() async throws {
            for value in 1...3 {
                try await clock.sleep(for: .seconds(1))
                await cell.set(value)
            }
        }
        async let working: Void = work()
        for value in 1...3 {
            await clock.advance(by: .seconds(1))
            #expect(await cell.value == value)
        }
        try await working
    }

    @Test("Work that waits for a busy main actor has run when advance returns (contract 15)")
    func busyMainActor() async throws {
        async let busy: Void = Self.occupyMainActor()
        async let work: Void = Self.sleepOnMainActor(clock, events)
        await clock.advance(by: .seconds(2))
        #expect(events.all == ["main0", "main1"])
        _ = try await (busy, work)
    }

    @Test("Work that waits for busy threads has run when advance returns (contract 15)")
    func busyThreads() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { Self.occupy() } }
            group.addTask { [self] in try await sleep([1, 1], as: "a") }
            await clock.advance(by: .seconds(2))
            #expect(events.all == ["a0", "a1"])
            try await group.waitForAll()
        }
    }

    @MainActor
    private static func sleepOnMainActor(_ clock: TestClock, _ events: Events) async throws {
        for step in 0...1 {
            try await clock.sleep(for: .seconds(1))
            events.add("main\(step)")
        }
    }

    @MainActor
    private static func occupyMainActor() { occupy() }

    /// Takes a thread for itself, as something does that computes for long.
    private nonisolated static func occupy() {
        let end = ContinuousClock.now + .milliseconds(50)
        while ContinuousClock.now < end {}
    }

    @Test func manySleepersOfOneInstantWakeInTheirOrder() async throws {
        for index in 0..<50 {
            let (clock, events) = (clock, events)
            Task {
                try await clock.sleep(for: .seconds(1))
                events.add("\(index)")
            }
        }
        await clock.advance(by: .seconds(1))
        #expect(events.all.count == 50)
    }

    @Test func aPastDeadlineDoesNotSleep() async throws {
        await clock.advance(by: .seconds(2))
        try await clock.sleep(until: TestInstant(offset: .seconds(2)), tolerance: nil)
        try await clock.sleep(for: .zero)
    }

    @Test func advancingByZeroRunsReadyWork() async throws {
        async let work: Void = sleep([0, 1], as: "a")
        await clock.advance()
        #expect(events.all == ["a0"])
        await clock.advance(by: .seconds(1))
        try await work
    }

    @Test func cancellingEndsASleepAtOnce() async {
        let (clock, events) = (clock, events)
        let asleep = Task {
            do { try await clock.sleep(for: .seconds(1)) } catch { events.add("\(type(of: error))") }
        }
        await clock.advance(by: .milliseconds(1))
        asleep.cancel()
        await asleep.value
        #expect(events.all == ["CancellationError"])

        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            do { try await clock.sleep(for: .seconds(1)) } catch { events.add("before") }
        }
        await cancelledBefore.value
        #expect(events.all == ["CancellationError", "before"])
        // No sleeper is left.
        await clock.run()
        #expect(clock.now.offset == .milliseconds(1))
    }

    @Test func runContinuesUntilNothingSleeps() async throws {
        async let work: Void = sleep([1, 60, 3600], as: "a")
        await clock.run()
        #expect(events.all == ["a0", "a1", "a2"])
        #expect(clock.now.offset == .seconds(3661))
        try await work
        async let more: Void = sleep([1], as: "b")
        await clock.runToCompletion()
        #expect(events.all.last == "b0")
        try await more
    }

    @Test func runEndsWithAnIssueWhereWorkSleepsForEver() async {
        let clock = clock
        let ticker = Task {
            while true { try await clock.sleep(for: .seconds(1)) }
        }
        await withKnownIssue {
            await clock.run(timeout: .zero)
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                """
                Running a test clock took longer than 0.0 seconds, and 1 of its sleepers is still asleep, the next \
                until 1.0 seconds. Cancel work that sleeps again and again, advance the clock by a duration instead, \
                or run it with a longer timeout.
                """
            ]
        }
        ticker.cancel()
        _ = await ticker.result
    }

    @Test func timeDoesNotRunBackwards() async {
        await clock.advance(by: .seconds(3))
        await withKnownIssue {
            await clock.advance(by: .seconds(-1))
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                "A test clock cannot be advanced by -1.0 seconds, because time does not run backwards."
            ] && issue.sourceLocation?.fileID.hasSuffix("TestClockTests.swift") == true
        }
        await withKnownIssue {
            await clock.advance(to: TestInstant(offset: .seconds(1)))
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                """
                A test clock that shows 3.0 seconds cannot be advanced to 1.0 seconds, because time does not \
                run backwards.
                """
            ]
        }
        #expect(clock.now.offset == .seconds(3))
    }

    @Test func megaYieldLetsStartedWorkRun() async {
        let events = events
        Task { events.add("a") }
        await Task.megaYield()
        await Task.megaYield(count: 100)
        #expect(events.all == ["a"])
    }
}

/// The recorded events in order.
private final class Events: Sendable {
    private let events = Locked<[String]>([])

    var all: [String] { events.withLock { $0 } }
    func add(_ event: String) { events.withLock { $0.append(event) } }
}
