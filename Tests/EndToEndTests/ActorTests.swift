import ByteTestSupport
import Distributed
import Foundation
import LatticeActors
import LatticeCalls
import LatticeClient
import LatticeCoding
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeTransport
import Logging
import Testing

@testable import actorhost

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests actors in workers.
///
/// The environment variable `LATTICE_ACTORHOST` names the workers' program. By default it is the one next to the tests.
/// The variable allows optimised workers with unoptimised tests, and the reverse.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct ActorTests {
    private static func configuration(_ count: Int = 1) -> CoordinatorConfiguration {
        let program = ProcessInfo.processInfo.environment["LATTICE_ACTORHOST"] ?? Programs.path("actorhost")
        var configuration = EndToEndTests.configuration(workers: program)
        configuration.groups = [WorkerGroup("subjects", workers: count)]
        return configuration
    }

    @Test("An effect calls an actor from its action, and an observer calls an actor from the view state")
    func actorsAreParts() async throws {
        try await withSocketPath { path in
            let configuration = Self.configuration(1)
            try await withCoordinator(
                hosting: Introductions.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await withClient(connectingTo: path) { client in
                    let system = LatticeActorSystem(client)
                    let subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
                    // Other tests have systems in this process too.
                    CodingContext.offer(system, replaces: true)
                    let viewModel = try await client.viewModel(Introductions.self)
                    let outcome = await viewModel.sendViewEvent(.meet(subject, number: 21)).finish()
                    #expect(outcome == .finished)
                    #expect(viewModel.viewState == Introductions.DomainState(last: subject, answer: 42))
                    let seen = try #require(viewModel.viewState.last)
                    let double = try await seen.double(4)
                    #expect(double == 8)
                }
            }
        }
    }

    @Test("A client, the coordinator and a worker can call actors of workers")
    func everybodyCalls() async throws {
        try await withSocketPath { path in
            let configuration = Self.configuration(2)
            try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
                let system = LatticeActorSystem(coordinator)
                let workers = try await Self.workers(2, system)
                let (first, second) = (workers[0], workers[1])
                #expect(try await first.process() != second.process())
                let process = try await first.process()
                #expect(first.id.process == "worker \"subjects\" (process \(process))" && first.id.incarnation == 1)
                #expect(try await first.group() == "subjects")
                // One worker calls the other.
                let sum = try await first.ask(second, 21)
                #expect(sum == 42)
                try await withClient(connectingTo: path) { client in
                    let system = LatticeActorSystem(client)
                    let subject = try await system.resolve(Subject.self, named: "subject")
                    let four = try await subject.double(2)
                    #expect(four == 4)
                }
            }
        }
    }

    @Test("A client that is cancelled ends, whatever it is doing")
    func cancelledClients() async throws {
        try await withSocketPath { path in
            try await withCoordinator(listeningAt: path, configuration: Self.configuration()) { _ in
                for round in 0..<60 {
                    let isThere = Watched(false)
                    let client = Task {
                        try await withClient(connectingTo: path) { client in
                            isThere.change { $0 = true }
                            try await Task.sleep(for: .seconds(600))
                        }
                    }
                    if round.isMultiple(of: 3) { try await isThere.until { $0 } }
                    client.cancel()
                    _ = try? await client.value
                }
            }
        }
    }

    @Test("Killing the coordinator leaves no orphans")
    func noOrphans() async throws {
        try await withSocketPath { path in
            try await withProgram("actorhost", [path]) { program in
                try await program.says("serving")
                let workers = try children(of: program.identifier)
                #expect(workers.count == 3)
                kill(program.identifier, SIGKILL)
                let start = ContinuousClock.now
                try await poll { !workers.contains(where: isThere) }
                #expect(start.duration(to: .now) < .seconds(30))
            }
        }
    }

    @Test("A killed worker is restarted, and its running calls end at once with the cause")
    func comesBack() async throws {
        try await withCoordinator(configuration: Self.configuration()) { coordinator in
            let system = LatticeActorSystem(coordinator)
            let subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
            let process = try await subject.process()
            let waiting = (0..<3).map { _ in Task.immediate { try await subject.wait() } }
            // Behind them on the way there.
            _ = try await subject.process()
            kill(process, SIGKILL)
            for call in waiting {
                let error = await #expect(throws: ActorCallError.self) { try await call.value }
                #expect(error?.code == .lost && error?.delivery == .mayHaveBegun)
                let sentence =
                    "the worker \"subjects\" (process \(process)), incarnation 1, ended: killed by signal 9 (SIGKILL)"
                #expect(error?.message.contains(sentence) == true)
            }
            let late = await #expect(throws: ActorCallError.self) { try await subject.double(1) }
            #expect(late?.code == .unknownProcess && late?.delivery == .notSent)
            let next = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
            let second = try await next.process()
            #expect(next.id.incarnation == 2 && second != process)
        }
    }

    @Test("No descriptor leaks over hundreds of restarts")
    func descriptors() async throws {
        try await withProgram("actorhost", ["restarts", "\(Repetitions.count(1000))"]) { program in
            try await program.says("files 0")
        }
    }

    @Test("A worker that keeps failing is not restarted beyond the limit, and its name stays unknown")
    func stopsAtTheLimit() async throws {
        var configuration = Self.configuration()
        let log = BlockableLog()
        configuration.logger = Logger(label: "test") { _ in log.handler }
        configuration.workerEnvironment["ACTORHOST_EXIT"] = "3"
        configuration.restart.maximumFailedStarts = 4
        configuration.restart.probeDelay = nil
        try await withCoordinator(configuration: configuration) { coordinator in
            try await log.errors.until { lines in lines.contains { $0.contains("before it completed its handshake") } }
            let system = LatticeActorSystem(coordinator)
            let error = await #expect(throws: ActorCallError.self) {
                try await system.resolve(Subject.self, named: "subject", within: .milliseconds(200))
            }
            #expect(error?.code == .unknownName)
            #expect(log.lines.value.count { $0.contains("incarnation") && $0.contains("exited with code 3") } <= 5)
        }
    }

    @Test("Restarts wait for the backoff")
    func backoff() async throws {
        var configuration = Self.configuration()
        configuration.restart.initialDelay = .milliseconds(100)
        configuration.restart.maximumDelay = .seconds(10)
        configuration.restart.jitter = 0
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            var subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
            for delay in [100, 200, 400] {
                let process = try await subject.process()
                let start = ContinuousClock.now
                kill(process, SIGKILL)
                await #expect(throws: ActorCallError.self) { try await subject.wait() }
                subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
                #expect(start.duration(to: .now) >= .milliseconds(delay))
            }
        }
    }

    @Test("The number of workers changes while they run, and a worker that leaves finishes its calls")
    func resizing() async throws {
        var configuration = Self.configuration(2)
        configuration.groups[0].shutdownTimeout = .seconds(60)
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            let workers = try await Self.workers(2, system)
            try coordinator.setWorkers(of: "subjects", to: 4)
            let four = try await Self.workers(4, system)
            #expect(Set(workers.map(\.id)).isSubset(of: four.map(\.id)))
            let running = four.map { subject in Task { try await subject.hold(milliseconds: 300) } }
            for subject in four { async let _ = subject.double(1) }
            try coordinator.setWorkers(of: "subjects", to: 1)
            var processes: Set<Int32> = []
            for call in running {
                do {
                    processes.insert(try await call.value)
                } catch let error as ActorCallError {
                    // The call had not begun in the worker when that was asked to leave.
                    #expect(error.code == .lost && error.delivery == .notSent)
                }
            }
            #expect(!processes.isEmpty)
            for count in [-1, 257] {
                #expect(throws: CoordinatorError.self) { try coordinator.setWorkers(of: "subjects", to: count) }
            }
            #expect(throws: CoordinatorError.self) { try coordinator.setWorkers(of: "others", to: 1) }
        }
    }

    @Test("A method that outlasts its worker's drain ends with an error that says so")
    func cancelledByTheEnd() async throws {
        var configuration = Self.configuration(1)
        configuration.groups[0].shutdownTimeout = .milliseconds(50)
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            let subject = try #require(try await Self.workers(1, system).first)
            let waiting = Task { try await subject.wait() }
            while coordinator.node.callsUnderWay.sent == 0 { await Task.yield() }
            let watch = Task { try await system.onTermination(of: subject.id) }
            // This call is sent after the other one, so the other one has begun.
            _ = try await subject.double(1)
            try coordinator.setWorkers(of: "subjects", to: 0)
            let end = try await system.onTermination(of: subject.id)
            #expect("\(end)".hasSuffix("exited with code 0"))
            let watched = try await watch.value
            #expect(watched == end)
            let error = await #expect(throws: ActorCallError.self) { try await waiting.value }
            #expect(error?.code == .cancelled && error?.delivery == .mayHaveBegun)
            #expect(error?.message.contains("actorhost.Subject.wait() of \(subject.id)") == true)
            let later = await #expect(throws: ActorCallError.self) { try await subject.double(1) }
            #expect(later?.delivery == .notSent)
        }
    }

    @Test("A worker whose method does not end is stopped at its limit, and the pool calls the other one meanwhile")
    func hangingMethod() async throws {
        var configuration = Self.configuration(2)
        configuration.groups[0].limits = WorkerLimits(callTimeout: .seconds(5))
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            try await system.withPool(of: Subject.self, named: "subject") { pool in
                try await poll { pool.members.count == 2 }
                #expect(Set(pool.members.map { "\($0)" }).count == 2)
                let hanging = Watched<LatticeActorID?>(nil)
                let error = await #expect(throws: ActorCallError.self) {
                    try await withDeadline(.now + .seconds(1)) {
                        try await pool.call { subject in
                            hanging.change { $0 = subject.id }
                            return try await subject.hold(milliseconds: 1_000_000)
                        }
                    }
                }
                #expect(error?.code == .deadlinePassed)
                for _ in 0..<9 {
                    let member = try await pool.call { subject in
                        _ = try await subject.process()
                        return subject.id
                    }
                    #expect(member != hanging.value)
                }
                // The next incarnation takes part.
                try await poll { pool.members.contains { $0.incarnation == 2 } && pool.members.count == 2 }
                let late = await #expect(throws: ActorCallError.self) {
                    try await pool.call { try await $0.hold(milliseconds: 1_000_000) }
                }
                #expect(late?.code == .lost && late?.message.contains("passed its limit: call") == true)
            }
            let resets = await coordinator.resetWorker()
            #expect(resets.count == 2 && resets.allSatisfy { !$0.isBegun && $0.group == "subjects" })
        }
    }

    @Test("A pool finishes each call once although workers are killed")
    func poolWithDeaths() async throws {
        try await withCoordinator(configuration: Self.configuration(3)) { coordinator in
            let system = LatticeActorSystem(coordinator)
            try await system.withPool(of: Subject.self, named: "subject", callsPerActor: 2) { pool in
                let ended = Watched(0)
                let calls = (0..<300).map { number in
                    Task {
                        defer { ended.change { $0 += 1 } }
                        // A call of a killed worker is made again here, because the method changes nothing.
                        while true {
                            do {
                                return try await pool.call { subject in
                                    _ = try await subject.hold(milliseconds: 2)
                                    return try await subject.double(number)
                                }
                            } catch let error as ActorCallError where error.code == .lost {
                                continue
                            }
                        }
                    }
                }
                for count in [60, 120, 180] {
                    try await ended.until { $0 >= count }
                    // The actor that answers last may belong to a worker that is already being killed.
                    var victim: Int32?
                    while victim == nil { victim = try? await pool.call { try await $0.process() } }
                    if let victim { kill(victim, SIGKILL) }
                }
                for (number, call) in calls.enumerated() {
                    let double = try await call.value
                    #expect(double == 2 * number)
                }
            }
        }
    }

    @Test("A pool loses no call while workers join and leave")
    func poolWithChanges() async throws {
        var configuration = Self.configuration(3)
        configuration.groups[0].shutdownTimeout = .seconds(60)
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            try await system.withPool(of: Subject.self, named: "subject", callsPerActor: 2) { pool in
                let (ended, isOver) = (Watched(0), Watched(false))
                let callers = (0..<12).map { _ in
                    Task {
                        defer { ended.change { $0 += 1_000_000 } }
                        while !isOver.value {
                            _ = try await pool.call { try await $0.hold(milliseconds: 1) }
                            ended.change { $0 += 1 }
                        }
                    }
                }
                for round in 1...16 {
                    try coordinator.setWorkers(of: "subjects", to: round.isMultiple(of: 2) ? 3 : 1)
                    let before = ended.value
                    try await ended.until { $0 > before + 100 }
                }
                isOver.change { $0 = true }
                for caller in callers { try await caller.value }
            }
        }
    }

    /// Returns this many different actors that serve the name.
    private static func workers(_ count: Int, _ system: LatticeActorSystem) async throws -> [Subject] {
        var found: [LatticeActorID: Subject] = [:]
        while found.count < count {
            let subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(60))
            found[subject.id] = subject
        }
        return found.values.sorted { $0.id.description < $1.id.description }
    }
}
