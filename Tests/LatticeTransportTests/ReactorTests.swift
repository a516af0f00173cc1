import LatticeTestSupport
import LatticeTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReactorTests {
    /// An actor that runs on a reactor, so that its calls there need no hop.
    private actor Resident {
        let reactor: Reactor
        private(set) var values: [Int] = []

        init(_ reactor: Reactor) {
            self.reactor = reactor
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

        func append(_ value: Int) -> Bool {
            values.append(value)
            return reactor.isCurrent
        }

        nonisolated func appendSynchronously(_ value: Int) {
            assumeIsolated { $0.values.append(value) }
        }
    }

    private final class Flush: TickObserver {
        let log: Watched<[String]>
        let name: String

        init(_ name: String, log: Watched<[String]>) {
            self.name = name
            self.log = log
        }

        func tickEnded() {
            let name = name
            log.change { $0.append(name) }
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func runsTheActorsThatLiveOnIt(backend: Reactor.Backend) async throws {
        try await withReactor(backend) { reactor in
            let resident = Resident(reactor)
            #expect(!reactor.isCurrent)
            #expect(await resident.append(1))
            // From the event loop's thread the actor's state is there without waiting.
            let isDone = Watched(false)
            reactor.execute {
                resident.appendSynchronously(2)
                isDone.change { $0 = true }
            }
            try await isDone.until { $0 }
            #expect(await resident.values == [1, 2])
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func keepsTheOrderOfEachThread(backend: Reactor.Backend) async throws {
        let (threads, each) = (8, 5000)
        try await withReactor(backend) { reactor in
            let seen = Watched([[Int]](repeating: [], count: threads))
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<threads {
                    group.addTask {
                        for number in 0..<each { reactor.execute { seen.change { $0[thread].append(number) } } }
                    }
                }
            }
            try await seen.until { $0.allSatisfy { $0.count == each } }
            #expect(seen.value.allSatisfy { $0 == Array(0..<each) })
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func executeNeverRunsInsideTheCall(backend: Reactor.Backend) async throws {
        try await withReactor(backend) { reactor in
            let log = Watched<[String]>([])
            reactor.execute {
                reactor.execute { log.change { $0.append("inner") } }
                log.change { $0.append("outer") }
            }
            try await log.until { $0.count == 2 }
            #expect(log.value == ["outer", "inner"])
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func theEndOfATurnComesAfterItsJobs(backend: Reactor.Backend) async throws {
        try await withReactor(backend) { reactor in
            let log = Watched<[String]>([])
            let (first, second) = (Flush("first", log: log), Flush("second", log: log))
            reactor.execute {
                reactor.atEndOfTick(first)
                reactor.atEndOfTick(second)
                reactor.execute { log.change { $0.append("job") } }
            }
            try await log.until { $0.count == 3 }
            #expect(log.value == ["job", "first", "second"])
            // Once, not every turn.
            reactor.execute { log.change { $0.append("later") } }
            try await log.until { $0.contains("later") }
            #expect(log.value == ["job", "first", "second", "later"])
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func jobsThatNeverEndDoNotHoldUpConnections(backend: Reactor.Backend) async throws {
        try await withReactor(backend) { reactor in
            let isGoingOn = Watched(true)
            @Sendable func again() {
                if isGoingOn.value { reactor.execute { again() } }
            }
            defer { isGoingOn.change { $0 = false } }
            let (local, remote) = try SocketConnection.pair(reactor: reactor)
            let other = try SocketConnection(adopting: remote, reactor: reactor)
            let there = Recorder()
            reactor.execute { again() }
            other.start(handler: there)
            #expect(try local.write([1]) == 1)
            try await there.record.until { $0.bytes == [1] }
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func aConnectionThatFloodsDoesNotHoldUpOthers(backend: Reactor.Backend) async throws {
        try await withReactor(backend) { writers in
            try await withReactor(backend) { reactor in
                let (flooding, end) = try SocketConnection.pair(reactor: writers)
                let flooded = try SocketConnection(adopting: end, reactor: reactor)
                let (local, remote) = try SocketConnection.pair(reactor: writers)
                let other = try SocketConnection(adopting: remote, reactor: reactor)
                let flood = Flood()
                flooded.start(handler: Discard())
                let there = Recorder()
                other.start(handler: there)
                flooding.start(handler: flood)
                writers.execute { flood.connectionWritable(flooding) }
                try await flood.sent.until { $0 > 1024 * 1024 }
                #expect(try local.write([1]) == 1)
                let ran = Watched(false)
                reactor.execute { ran.change { $0 = true } }
                try await there.record.until { $0.bytes == [1] }
                try await ran.until { $0 }
            }
        }
    }

    @Test(arguments: Reactor.Backend.allCases)
    func jobsAfterTheEndStillRun(backend: Reactor.Backend) async throws {
        let reactor = try Reactor.start(name: "ends", backend: backend)
        let resident = Resident(reactor)
        #expect(await resident.append(1))
        reactor.stop()
        reactor.stop()
        await reactor.stopped()
        for number in 2...50 { #expect(await resident.append(number)) }
        #expect(await resident.values == Array(1...50))
        await reactor.stopped()
    }

    @Test(arguments: Reactor.Backend.allCases)
    func workQueuedBeforeStopRuns(backend: Reactor.Backend) async throws {
        let reactor = try Reactor.start(name: "ends", backend: backend)
        let ran = Watched(0)
        for _ in 0..<5000 { reactor.execute { ran.change { $0 += 1 } } }
        reactor.stop()
        await reactor.stopped()
        #expect(ran.value == 5000)
    }

    @Test(arguments: Reactor.Backend.allCases)
    func workThatRenewsItselfHoldsUpNoEnd(backend: Reactor.Backend) async throws {
        let reactor = try Reactor.start(name: "ends", backend: backend)
        let isGoingOn = Watched(true)
        defer { isGoingOn.change { $0 = false } }
        @Sendable func again() {
            if isGoingOn.value { reactor.execute { again() } }
        }
        let (local, remote) = try SocketConnection.pair(reactor: reactor)
        let here = Recorder()
        local.start(handler: here)
        reactor.execute { again() }
        reactor.stop()
        try await here.record.until { $0.closed == 1 }
        await reactor.stopped()
        withExtendedLifetime(remote) {}
    }

    @Test func refusesADescriptorThatIsNoSocket() async throws {
        try await withReactor { reactor in
            let error = #expect(throws: TransportError.self) {
                _ = try SocketConnection(adopting: OwnedDescriptor(-1), reactor: reactor)
            }
            #expect(error?.code == .invalidDescriptor)
            #expect(error?.message.contains("-1") == true)
        }
    }
}
