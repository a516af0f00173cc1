import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator
@testable import LatticeSession

/// A supervisor with workers that are no processes.
@Suite(.timeLimit(.minutes(10)))
struct WorkerSupervisorTests {
    typealias Channel = FeatureClient<JournalFeature.Action, JournalFeature.DomainState>

    /// The objects of a test.
    struct Bench {
        let supervisor: WorkerSupervisor
        let launcher: ScriptedLauncher
        let recorder: ChannelRecorder<JournalFeature.DomainState>
        let channel: Channel
        let log: LogLines
        let hasEnded: Watched<Bool>

        /// Waits until the last reported host status has this description.
        func until(_ description: String) async throws {
            let record = recorder.record
            try await record.until { $0.hosts.last.map { "\($0)".hasPrefix(description) } ?? false }
        }

        var heard: [String] { recorder.record.value.hosts.map { "\($0)" } }
    }

    /// Runs a supervisor until `body` returns; then its task is cancelled, as its owner does.
    func withSupervisor(
        _ script: [ScriptedLauncher.Word],
        _ change: (inout CoordinatorConfiguration) -> Void = { _ in },
        _ body: (Bench) async throws -> Void
    ) async throws {
        let log = LogLines()
        var configuration = CoordinatorConfiguration()
        configuration.logger = log.makeLogger()
        configuration.restart.initialDelay = .milliseconds(1)
        configuration.restart.jitter = 0
        // The stable time is long, so that each incarnation is short even on a slow machine.
        configuration.restart.stableTime = .seconds(86_400)
        change(&configuration)
        try await withReactor { [configuration] reactor in
            let launcher = ScriptedLauncher(script, eventLoop: reactor)
            let supervisor = WorkerSupervisor(
                launcher: launcher,
                features: [JournalFeature.self],
                configuration: configuration,
                eventLoop: reactor,
                sender: .random(),
                seed: 1
            )
            let recorder = ChannelRecorder<JournalFeature.DomainState>()
            let channel = try Channel(
                .init(JournalFeature.self, in: HostContext()),
                in: supervisor.channels,
                sender: nil,
                deliver: { recorder.receive($0) }
            )
            let hasEnded = Watched(false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await supervisor.run()
                    hasEnded.change { $0 = true }
                }
                try await body(
                    Bench(
                        supervisor: supervisor,
                        launcher: launcher,
                        recorder: recorder,
                        channel: channel,
                        log: log,
                        hasEnded: hasEnded
                    )
                )
                group.cancelAll()
                try await group.waitForAll()
            }
            // Every channel is notified of the end.
            try await recorder.record.until { $0.rejection != nil }
        }
    }

    // MARK: Incarnations

    @Test func aWorkerServesAndIsFollowedWhenItDies() async throws {
        try await withSupervisor([.serves]) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            bench.launcher.kill()
            try await bench.until("serving, incarnation 2, process 102")
            #expect(await bench.channel.send(.add(2)).finish() == .finished)
            #expect(bench.recorder.record.value.states.last?.entries == [1, 2])
            #expect(
                bench.heard == [
                    "serving, incarnation 1, process 101",
                    "restarting in 0.001 seconds, attempt 1, after the worker was killed by signal 9 (SIGKILL)",
                    "serving, incarnation 2, process 102",
                ]
            )
        }
    }

    @Test func effectsOfADeadWorkerAreInterrupted() async throws {
        try await withSupervisor([.serves]) { bench in
            let gate = Gates.makeName()
            let running = bench.channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            bench.launcher.kill(.signal(11))
            #expect(await running.finish() == .interrupted(Interruption(cause: .signal(11), incarnation: 1)))
        }
    }

    @Test func aStartThatFailsIsTriedAgain() async throws {
        try await withSupervisor([.fails, .ends(.exit(code: 3)), .serves]) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            // Of several statuses that come together, only the last one is heard.
            #expect(bench.heard.last == "serving, incarnation 3, process 103")
            let between: Set = [
                "restarting in 0.001 seconds, attempt 1, after the worker exited with code 127",
                "restarting in 0.002 seconds, attempt 2, after the worker exited with code 3",
            ]
            #expect(between.isSuperset(of: bench.heard.dropLast()))
            let lines = bench.log.lines
            #expect(lines.first?.hasPrefix("The worker cannot be started: ") == true, "\(lines)")
        }
    }

    @Test func aLackOfRoomIsNoIncarnation() async throws {
        try await withSupervisor([.lacks, .lacks, .serves]) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            #expect(bench.launcher.starts.value == [1, 1, 1])
            #expect(bench.heard.last == "serving, incarnation 1, process 101")
            let lines = bench.log.lines.prefix(2)
            #expect(
                lines.first?.hasPrefix("No resources for a worker (attempt 1). Next attempt in 0.001 seconds. ") == true
            )
            #expect(
                lines.last?.hasPrefix("No resources for a worker (attempt 2). Next attempt in 0.002 seconds. ") == true
            )
        }
    }

    @Test("A worker that gets no thread counts neither as an incarnation nor as a failed start (F94)")
    func aLackOfThreads() async throws {
        try await withSupervisor([.lacksThreads, .lacksThreads, .serves], { $0.restart.maximumFailedStarts = 0 }) {
            bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            #expect(bench.launcher.starts.value == [1, 1, 1])
            #expect(bench.heard.last == "serving, incarnation 1, process 101")
            let sentence = "No resources for a worker (attempt 2). Next attempt in 0.002 seconds. "
            #expect(bench.log.lines.contains { $0.hasPrefix(sentence) && $0.contains(" the threads ") })
        }
    }

    @Test func aWorkerThatSaysNothingHangs() async throws {
        try await withSupervisor([.isSilent, .serves], { $0.restart.bootTimeout = .milliseconds(50) }) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            #expect(
                bench.heard.first == "restarting in 0.001 seconds, attempt 1, after the worker stopped answering"
            )
        }
    }

    @Test("A handshake that completes late does not make the next incarnation serve")
    func lateHandshake() async throws {
        try await withSupervisor([.serves, .isSilent]) { bench in
            try await bench.until("serving, incarnation 1")
            let supervisor = bench.supervisor
            let (session, workers) = supervisor.core.withLock { ($0.current.session, $0.workers) }
            let earlier = try #require(session)
            bench.launcher.kill()
            try await poll {
                supervisor.core.withLock { $0.state.incarnation == 2 && $0.current.session != nil }
            }
            let peer = Handshake.Peer(
                version: 1,
                role: .worker,
                incarnation: 1,
                processID: 101,
                identity: [],
                storeID: [],
                coordinatorID: 0,
                features: [],
                build: nil,
                node: nil
            )
            await withCheckedContinuation { seen in
                supervisor.channels.eventLoop.execute {
                    // As if its end had not arrived yet.
                    supervisor.core.withLock { $0.workers.merge(workers) { $1 } }
                    supervisor.opened(earlier, to: peer)
                    seen.resume()
                }
            }
            #expect(!supervisor.core.withLock { $0.state.hasServed })
        }
    }

    // MARK: Giving up

    @Test func aRefusedWorkerIsGivenUp() async throws {
        try await withSupervisor([.isStranger, .serves]) { bench in
            let outcome = await bench.channel.send(.add(1)).finish()
            #expect(
                "\(outcome)"
                    .contains("the worker was refused: the worker does not serve \"journal\" (schema 1, domain level)"),
                "\(outcome)"
            )
            try await bench.until("failed (protocol): the worker was refused: ")
            #expect(bench.launcher.starts.value == [1])
        }
    }

    @Test func aWorkerThatIsGivenUpIsStartedAgainByAReset() async throws {
        try await withSupervisor([.ends(.exit(code: 3)), .serves], { $0.restart.maximumFailedStarts = 0 }) { bench in
            try await bench.until("failed (start-limit-hit): the worker ended 1 time before it completed its handshake")
            #expect(await bench.channel.send(.add(1)).finish() == .rejected(.closed))
            let reset = await bench.supervisor.reset()
            #expect(reset.isBegun && reset.description == "the worker had been given up and is started again")
            #expect(await bench.channel.send(.add(2)).finish() == .finished)
            #expect(bench.heard.suffix(2) == ["connecting", "serving, incarnation 2, process 102"])
            // None was given up: there is nothing to reset.
            let second = await bench.supervisor.reset()
            #expect(
                !second.isBegun
                    && second.description
                        == "nothing was done for the worker, because it has not been given up: it serves (process"
                        + " 102); if its calls hang, set limits.callTimeout, or end the process"
            )
            #expect(bench.launcher.starts.value == [1, 2])
        }
    }

    @Test("A worker that was given up is retried, and accepts events when it serves")
    func isTriedAgain() async throws {
        try await withSupervisor([.ends(.exit(code: 3)), .serves]) {
            $0.restart.maximumFailedStarts = 0
            $0.restart.probeDelay = .milliseconds(1)
        } _: { bench in
            try await bench.until("serving, incarnation 2")
            #expect(await bench.channel.send(.add(2)).finish() == .finished)
        }
    }

    @Test("After a reset during a retry, events wait for the worker")
    func aResetWhileItIsTriedAgain() async throws {
        try await withSupervisor([.serves, .isSilent, .serves]) {
            $0.restart.intensity.restarts = 0
            $0.restart.probeDelay = .milliseconds(1)
            $0.restart.bootTimeout = .milliseconds(200)
        } _: { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            bench.launcher.kill(.signal(11))
            try await bench.launcher.starts.until { $0.count == 2 }
            await bench.supervisor.reset()
            #expect(await bench.channel.send(.add(2)).finish() == .finished)
        }
    }

    @Test func aWorkerThatMayLeaveIsNoError() async throws {
        try await withSupervisor([.ends(.exit(code: 0))], { $0.restart.kind = .transient }) { bench in
            try await bench.until("failed (success): the worker ended: exited with code 0")
            #expect(!bench.log.lines.contains { $0.hasPrefix("the worker ended: ") })
        }
    }

    // MARK: Stopping

    @Test func runningEventsMayEndBeforeAStop() async throws {
        try await withSupervisor([.serves]) { bench in
            let gate = Gates.makeName()
            let running = bench.channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            async let stopped: Void = bench.supervisor.stop(within: .seconds(60))
            try await bench.until("draining")
            #expect(await bench.channel.send(.add(2)).finish() == .rejected(.closed))
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            await stopped
            #expect(try await bench.hasEnded.until(\.self))
            let record = try await bench.recorder.record.until { $0.rejection != nil }
            #expect(record.rejection?.reason == "the coordinator stopped")
        }
    }

    @Test func aWorkerThatDiesWhileItDrainsIsNotFollowed() async throws {
        try await withSupervisor([.serves]) { bench in
            let gate = Gates.makeName()
            let running = bench.channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            async let stopped: Void = bench.supervisor.stop(within: .seconds(60))
            // A second stop waits for the same end.
            async let again: Void = bench.supervisor.stop(within: .seconds(60))
            try await bench.until("draining")
            bench.launcher.kill()
            #expect(await running.finish() == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
            _ = await (stopped, again)
            #expect(try await bench.hasEnded.until(\.self))
            #expect(bench.launcher.starts.value == [1])
        }
    }

    @Test func aStopDoesNotWaitForAWorkerThatBoots() async throws {
        try await withSupervisor([.isSilent]) { bench in
            try await bench.launcher.starts.until { $0 == [1] }
            await bench.supervisor.stop(within: .seconds(60))
            #expect(try await bench.hasEnded.until(\.self))
        }
    }

    @Test func aStopEndsTheWaitForAReset() async throws {
        try await withSupervisor([.ends(.exit(code: 3))], { $0.restart.maximumFailedStarts = 0 }) { bench in
            try await bench.until("failed")
            await bench.supervisor.stop(within: .seconds(60))
            #expect(try await bench.hasEnded.until(\.self))
            #expect(bench.heard.count { $0 == "connecting" } == 0)
        }
    }

    @Test("A stop ends the wait for the next start, and waiting events end")
    func aStopEndsTheWaitForTheNextStart() async throws {
        try await withSupervisor([.ends(.exit(code: 3))]) { configuration in
            configuration.restart.maximumDelay = .seconds(3600)
            configuration.restart.initialDelay = .seconds(3600)
        } _: { bench in
            try await bench.until("restarting in 3600.0 seconds")
            let waiting = bench.channel.send(.add(1))
            await bench.supervisor.stop(within: .seconds(60))
            #expect(try await bench.hasEnded.until(\.self))
            guard case .rejected(let rejection) = await waiting.finish() as EventOutcome else {
                Issue.record("the event ended otherwise")
                return
            }
            #expect(rejection.code == .closed)
            #expect(bench.launcher.starts.value == [1])
        }
    }

    @Test func theEndOfItsTaskEndsTheWaitForTheNextStart() async throws {
        try await withSupervisor([.ends(.exit(code: 3))], { $0.restart.initialDelay = .seconds(30) }) { bench in
            try await bench.until("restarting in 30.0 seconds")
            #expect(bench.launcher.starts.value == [1])
        }
    }

    @Test func theEndOfItsTaskEndsTheWorker() async throws {
        try await withSupervisor([.serves]) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
        }
    }
}
