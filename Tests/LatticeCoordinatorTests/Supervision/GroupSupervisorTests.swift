import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Logging
import Testing

@testable import LatticeCoordinator

/// Groups of supervisors whose workers are no processes.
@Suite(.timeLimit(.minutes(10)))
struct GroupSupervisorTests {
    /// A launcher that records the starts and ends of all workers in one list.
    struct NotedLauncher: WorkerLauncher {
        let name: String
        let launcher: ScriptedLauncher
        let notes: Watched<[String]>

        func run(
            _ launch: LaunchVariable,
            configureProgram: (@Sendable (inout Program) -> Void)?,
            stop: OneShot<Void>,
            onStart: @escaping @Sendable (StartedWorker) -> Void
        ) async throws(TransportError) -> Interruption.Cause {
            notes.change { $0.append("\(name)\(launch.incarnation) starts") }
            let end = try await launcher.run(launch, configureProgram: configureProgram, stop: stop, onStart: onStart)
            notes.change { $0.append("\(name)\(launch.incarnation) is gone") }
            return end
        }
    }

    struct Member {
        let supervisor: WorkerSupervisor
        let launcher: ScriptedLauncher
        let recorder: ChannelRecorder<JournalFeature.DomainState>
        let channel: FeatureClient<JournalFeature.Action, JournalFeature.DomainState>

        func until(_ status: String) async throws {
            try await recorder.record.until { $0.hosts.last.map { "\($0)".hasPrefix(status) } ?? false }
        }

        /// Returns when an event runs that ends when its gate is opened.
        func startWaiting() async throws -> (running: EventTask, gate: String) {
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            return (running, gate)
        }

        var heard: [String] { recorder.record.value.hosts.map { "\($0)" } }
    }

    struct Bench {
        let members: [String: Member]
        let placement: Placement
        let notes: Watched<[String]>
        let log: LogLines

        subscript(_ name: String) -> Member {
            get throws { try #require(members[name]) }
        }

        func send(_ action: JournalFeature.Action, to name: String) async throws -> EventOutcome {
            try await self[name].channel.send(action).finish()
        }

        /// Returns when all serve, each for the first time.
        func untilAllServe() async throws {
            for name in members.keys.sorted() { try await self[name].until("serving, incarnation 1") }
        }
    }

    /// Runs a group until `body` returns; then it is stopped, as its coordinator does.
    ///
    /// - Parameter scripts: What the workers do that do not just serve.
    func withGroup(
        _ rules: GroupRules,
        _ children: [GroupBench.Child],
        scripts: [String: [ScriptedLauncher.Word]] = [:],
        _ change: (inout CoordinatorConfiguration) -> Void = { _ in },
        _ body: (Bench) async throws -> Void
    ) async throws {
        let log = LogLines()
        var configuration = CoordinatorConfiguration()
        configuration.logger = log.makeLogger()
        configuration.restart.initialDelay = .milliseconds(1)
        configuration.restart.maximumDelay = .milliseconds(1)
        configuration.restart.stableTime = .seconds(86_400)
        configuration.drainTimeout = .seconds(60)
        // The interval is long, so that no worker is late to answer on a busy machine.
        configuration.heartbeatInterval = .seconds(60)
        configuration.heartbeatTimeout = .seconds(120)
        configuration.group = rules.name
        change(&configuration)
        let model = GroupBench(rules, children)
        let notes = Watched<[String]>([])
        try await withReactor { [configuration] reactor in
            let group = GroupSupervisor(model.state, events: configuration.events, seed: 1)
            var members: [String: Member] = [:]
            for worker in model.state.workers.keys.sorted() {
                let name = model.names[worker] ?? ""
                let launcher = ScriptedLauncher(scripts[name] ?? [.serves], eventLoop: reactor)
                let supervisor = WorkerSupervisor(
                    launcher: NotedLauncher(name: name, launcher: launcher, notes: notes),
                    features: [JournalFeature.self],
                    configuration: configuration,
                    eventLoop: reactor,
                    sender: .random(),
                    membership: GroupMembership(group: group, worker: worker),
                    seed: 1
                )
                let recorder = ChannelRecorder<JournalFeature.DomainState>()
                let channel = try FeatureClient<JournalFeature.Action, JournalFeature.DomainState>(
                    .init(JournalFeature.self, in: HostContext()),
                    in: supervisor.channels,
                    sender: nil,
                    deliver: { recorder.receive($0) }
                )
                members[name] = Member(
                    supervisor: supervisor,
                    launcher: launcher,
                    recorder: recorder,
                    channel: channel
                )
            }
            let supervisors = members.values.map(\.supervisor)
            let placement = Placement(
                supervisors.map { .init(features: [], workers: .one($0)) },
                trees: [group]
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await placement.run() }
                try await body(Bench(members: members, placement: placement, notes: notes, log: log))
                await placement.stop(within: .zero)
                try await tasks.waitForAll()
            }
        }
    }

    static let three: [GroupBench.Child] = [.worker("a"), .worker("b"), .worker("c")]

    @Test("One for all: workers end in reverse order and start in order, and states and events are kept")
    func oneForAll() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three) { bench in
            try await bench.untilAllServe()
            for name in ["a", "b", "c"] { #expect(try await bench.send(.add(1), to: name) == .finished) }
            try bench["b"].launcher.kill()
            for name in ["a", "b", "c"] {
                #expect(try await bench.send(.add(2), to: name) == .finished)
                try await bench[name].until("serving, incarnation 2")
                #expect(try bench[name].recorder.record.value.states.last?.entries == [1, 2])
            }
            #expect(
                bench.notes.value == [
                    "a1 starts", "b1 starts", "c1 starts", "b1 is gone", "c1 is gone", "a1 is gone", "a2 starts",
                    "b2 starts", "c2 starts",
                ]
            )
            // Of several statuses that come together, only the last one is heard.
            let heard = try bench["a"].heard.dropFirst()
            #expect(heard.last == "serving, incarnation 2, process 102")
            #expect(
                heard.dropLast().allSatisfy {
                    $0 == "restarting in 0.0 seconds, attempt 1, after the worker ended with its group \"g\""
                }
            )
        }
    }

    @Test("Rest for one: workers before the one that died are not affected")
    func restForOne() async throws {
        try await withGroup(.test("g", .restForOne), Self.three) { bench in
            try await bench.untilAllServe()
            try bench["b"].launcher.kill()
            for name in ["b", "c"] { try await bench[name].until("serving, incarnation 2") }
            #expect(try bench["a"].heard == ["serving, incarnation 1, process 101"])
            #expect(bench.notes.value.suffix(4) == ["b1 is gone", "c1 is gone", "b2 starts", "c2 starts"])
        }
    }

    @Test(
        "Running events may finish before a worker ends for its group, and new events wait for its next incarnation"
    )
    func drained() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three) { bench in
            try await bench.untilAllServe()
            let (running, gate) = try await bench["c"].startWaiting()
            try bench["a"].launcher.kill()
            try await bench["c"].until("restarting")
            let waiting = try bench["c"].channel.send(.add(2))
            #expect(bench.notes.value.last == "a1 is gone")
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            #expect(await waiting.finish() == .finished)
            try await bench["c"].until("serving, incarnation 2")
            let entries = try bench["c"].recorder.record.value.states.last?.entries
            #expect(entries == [1, -1, 2])
        }
    }

    @Test("Events that outlast the drain are interrupted by the group, and no event or worker is blamed")
    func interrupted() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three) {
            $0.drainTimeout = .milliseconds(1)
            $0.restart.intensity.restarts = 1
        } _: { bench in
            try await bench.untilAllServe()
            for incarnation in 1...2 as ClosedRange<UInt64> {
                let running = try await bench["c"].startWaiting().running
                try bench[incarnation < 2 ? "a" : "b"].launcher.kill()
                #expect(
                    await running.finish() == .interrupted(Interruption(cause: .group("g"), incarnation: incarnation))
                )
                for name in ["a", "b", "c"] { try await bench[name].until("serving, incarnation \(incarnation + 1)") }
            }
        }
    }

    @Test("A crash during an ordered restart joins it at any time (F19)")
    func deathsDuringARestart() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three) { bench in
            try await bench.untilAllServe()
            let running = try await bench["c"].startWaiting().running
            try bench["a"].launcher.kill()
            // It has begun, and waits for c.
            try await bench["c"].until("restarting")
            try bench["b"].launcher.kill(.signal(11))
            try await bench["b"].until(
                "restarting in 0.001 seconds, attempt 1, after the worker was killed by signal 11"
            )
            try bench["c"].launcher.kill(.signal(11))
            #expect(await running.finish() == .interrupted(Interruption(cause: .signal(11), incarnation: 1)))
            for name in ["a", "b", "c"] { try await bench[name].until("serving, incarnation 2") }
            #expect(bench.notes.value.suffix(3) == ["a2 starts", "b2 starts", "c2 starts"])
            #expect(bench.notes.value.count { $0.hasSuffix("starts") } == 6)
        }
    }

    @Test("A failed start is retried in its place, and later workers wait for it")
    func failedStart() async throws {
        let scripts: [String: [ScriptedLauncher.Word]] = ["b": [.lacks, .ends(.exit(code: 3)), .fails, .serves]]
        try await withGroup(.test("g", .restForOne), Self.three, scripts: scripts) { bench in
            try await bench["c"].until("serving")
            #expect(bench.notes.value.first == "a1 starts")
            #expect(bench.notes.value.last == "c1 starts")
            #expect(try bench["a"].heard == ["serving, incarnation 1, process 101"])
        }
    }

    @Test("A worker that is given up does not block other starts, and a reset brings it back")
    func givenUp() async throws {
        let scripts: [String: [ScriptedLauncher.Word]] = ["b": [.isStranger, .serves]]
        try await withGroup(.test("g", .oneForAll), Self.three, scripts: scripts) { bench in
            try await bench["c"].until("serving")
            try await bench["b"].until("failed (protocol): the worker was refused")
            try await bench["b"].supervisor.reset()
            #expect(try await bench.send(.add(1), to: "b") == .finished)
            #expect(try bench["a"].heard == ["serving, incarnation 1, process 101"])
        }
    }

    @Test("A nested group that is given up restarts the workers around it")
    func escalation() async throws {
        let children: [GroupBench.Child] = [
            .worker("a"), .group(.test("inner", restarts: 0), [.worker("b"), .worker("c")]), .worker("d"),
        ]
        try await withGroup(.test("outer", .restForOne), children) { bench in
            try await bench.untilAllServe()
            try bench["b"].launcher.kill()
            for name in ["b", "c", "d"] { try await bench[name].until("serving, incarnation 2") }
            #expect(try bench["a"].heard == ["serving, incarnation 1, process 101"])
            let notes = bench.notes.value.dropFirst(4)
            #expect(notes.prefix(3) == ["b1 is gone", "d1 is gone", "c1 is gone"])
            #expect(notes.last == "d2 starts")
            #expect(
                bench.log.lines.last
                    == "the group \"inner\" was given up, as its children ended 1 time within 10.0 seconds and the"
                    + " limit is 0; the last time: killed by signal 9 (SIGKILL); it restarts in 0.1 seconds"
            )
        }
    }

    @Test("A group that is given up rejects events until a reset of one of its workers restarts all of it")
    func topIsGivenUp() async throws {
        try await withGroup(.test("g", restarts: 0), Self.three) { bench in
            try await bench.untilAllServe()
            try bench["b"].launcher.kill()
            for name in ["a", "b", "c"] {
                try await bench[name]
                    .until("failed (start-limit-hit): the group \"g\" was given up, as its children ended")
                guard case .rejected(let rejection) = try await bench.send(.add(1), to: name) else {
                    Issue.record("it takes events")
                    return
                }
                #expect(rejection.code == .closed)
            }
            try await bench["a"].supervisor.reset()
            #expect(try await bench.send(.add(2), to: "a") == .finished)
            for name in ["b", "c"] {
                try await bench[name].until("serving, incarnation 2")
                #expect(try await bench.send(.add(2), to: name) == .finished)
            }
        }
    }

    @Test("A group that is given up is retried after its policy's delay, and accepts events when it serves")
    func probed() async throws {
        var rules = GroupRules.test("g", .oneForAll, restarts: 0)
        rules.restart.probeDelay = .milliseconds(1)
        try await withGroup(rules, Self.three) { bench in
            try await bench.untilAllServe()
            try bench["b"].launcher.kill()
            for name in ["a", "b", "c"] {
                try await bench[name].until("serving, incarnation 2")
                #expect(try await bench.send(.add(2), to: name) == .finished)
            }
        }
    }

    @Test("A group is done with its first worker that is done, and its other workers end in reverse order")
    func autoShutdown() async throws {
        try await withGroup(.test("g", .restForOne, .any, kind: .transient), Self.three) {
            $0.restart.kind = .transient
        } _: { bench in
            try await bench.untilAllServe()
            try bench["a"].launcher.kill(.exit(code: 0))
            try await bench["a"].until("failed (success): the worker ended: exited with code 0")
            for name in ["b", "c"] {
                try await bench[name].until(
                    "failed: the group \"g\" has shut down (autoShutdown): one of its workers ended: exited with code 0"
                )
            }
            #expect(bench.notes.value.suffix(3) == ["a1 is gone", "c1 is gone", "b1 is gone"])
        }
    }

    @Test("At a stop, the workers of an ordered group leave one after the other in reverse order")
    func stopped() async throws {
        let children: [GroupBench.Child] = [
            .worker("a"), .group(.test("inner", .oneForAll), [.worker("b"), .worker("c")]), .worker("d"),
        ]
        try await withGroup(.test("outer", .restForOne), children) { bench in
            try await bench.untilAllServe()
            let (running, gate) = try await bench["d"].startWaiting()
            async let stopped: Void = bench.placement.stop(within: .seconds(60))
            try await bench["d"].until("draining")
            // The others serve meanwhile.
            #expect(try await bench.send(.add(1), to: "b") == .finished)
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            await stopped
            #expect(bench.notes.value.suffix(4) == ["d1 is gone", "c1 is gone", "b1 is gone", "a1 is gone"])
        }
    }

    @Test("A stop during a restart ends it: running events have until the stop's limit, and no worker starts")
    func stopDuringARestart() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three) { bench in
            try await bench.untilAllServe()
            let running = try await bench["c"].startWaiting().running
            try bench["a"].launcher.kill()
            try await bench["c"].until("restarting")
            await bench.placement.stop(within: .milliseconds(1))
            guard case .interrupted = await running.finish() as EventOutcome else {
                Issue.record("it ended otherwise")
                return
            }
            #expect(bench.notes.value.count { $0.hasSuffix("starts") } == 3)
            #expect(bench.notes.value.suffix(2) == ["c1 is gone", "b1 is gone"])
        }
    }

    @Test("A worker that is cancelled while it waits to start ends")
    func cancelled() async throws {
        try await withGroup(.test("g", .oneForAll), Self.three, scripts: ["a": [.isSilent]]) { bench in
            try await bench["a"].launcher.starts.until { $0 == [1] }
            #expect(bench.notes.value == ["a1 starts"])
        }
    }
}
