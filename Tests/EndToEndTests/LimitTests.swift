// Only Linux can limit another process.
#if os(Linux)

import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeProcess
import LatticeTestSupport
import Logging
import Observation
import Testing

/// Workers that use more than they may.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LimitTests {
    /// More than a worker needs, and half of what it takes then.
    private static let memory = 192 << 20
    private static let hoard = 384

    private typealias Heartbeat = (interval: Duration, timeout: Duration)

    private func withUnruly(
        _ limits: WorkerLimits,
        heartbeat: Heartbeat? = nil,
        _ body: (Coordinator, ViewModel<UnrulyFeature>, ViewModel<Counter>) async throws -> Void
    ) async throws {
        var configuration = configuration(workers: Programs.path("counter"))
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        if let heartbeat { (configuration.heartbeatInterval, configuration.heartbeatTimeout) = heartbeat }
        var unruly = WorkerGroup("unruly", of: UnrulyFeature.self)
        unruly.executable = Programs.path("unruly")
        unruly.limits = limits
        configuration.groups = [unruly]
        try await withCoordinator(hosting: Counter.self, UnrulyFeature.self, configuration: configuration) {
            let counter = try await $0.viewModel(Counter.self)
            let process = try servingProcess(counter)
            try await body($0, try await $0.viewModel(UnrulyFeature.self), counter)
            // The other worker is not affected.
            #expect(try servingProcess(counter) == process)
        }
    }

    @Test("A worker over its memory limit is ended, the event says why, and the next one keeps the state (F10)")
    func memory() async throws {
        try await expectEnds(ofHoardingWith: WorkerLimits(memoryBytes: Self.memory))
    }

    @Test(
        "The memory limit includes all processes that a worker has started (F10)",
        .enabled(if: ProcessLimits.isMemoryKept)
    )
    func totalMemory() async throws {
        try await expectEnds(ofHoardingWith: WorkerLimits(totalMemoryBytes: Self.memory))
    }

    private func expectEnds(ofHoardingWith limits: WorkerLimits) async throws {
        try await withUnruly(limits) { coordinator, unruly, counter in
            for number in 1...2 {
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                let hoarding = unruly.sendViewEvent(.hoard(megabytes: Self.hoard, inTurn: false))
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                let end = Interruption(cause: .limit("memory"), incarnation: UInt64(number))
                let outcome = await hoarding.finish()
                #expect(outcome == .interrupted(end))
            }
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 3)
            #expect(coordinator.quarantine.events.isEmpty)
        }
    }

    @Test(
        "At the limit of processes and threads, only the effect fails that needs one more",
        .enabled(if: ProcessLimits.areTasksKept)
    )
    func tasks() async throws {
        try await withUnruly(WorkerLimits(tasks: 64)) { _, unruly, _ in
            let process = try servingProcess(unruly)
            for number in 1...2 {
                let failure = EffectFailure(type: "Errno", message: "\(EAGAIN)")
                #expect(await unruly.sendViewEvent(.startThreads).finish() == .failed(failure))
                #expect(await unruly.sendViewEvent(.addLater(1)).finish() == .finished)
                #expect(unruly.viewState == number)
            }
            #expect(try servingProcess(unruly) == process)
        }
    }

    @Test("An effect that does not end after its timeout ends its worker; its event fails, and others are interrupted")
    func overdueEffect() async throws {
        try await withUnruly(WorkerLimits()) { coordinator, unruly, counter in
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            let waiting = unruly.sendViewEvent(.wait)
            // The outcome has to arrive in the grace period.
            let overdue = unruly.sendViewEvent(.computeBeyond(milliseconds: 500, grace: 10_000))
            guard case .failed(let failure) = await overdue.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: overdue.outcome))")
                return
            }
            #expect(failure == EffectFailure(type: "EffectTimeout", message: "did not end within 0.5 seconds"))
            let end = Interruption(cause: .limit("effect timeout"), incarnation: 1)
            #expect(await waiting.finish() == .interrupted(end))
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 2)
            #expect(coordinator.quarantine.events.isEmpty)
            guard case .interrupted(let interruption) = waiting.outcome else { return }
            let output = interruption.report?.output.map(\.self) ?? []
            #expect(output.contains { $0.contains("so its worker ends") }, "\(output)")
        }
    }

    @Test("A cancelled effect that continues ends its worker if the feature says so; its event ends before that")
    func cancelledEffect() async throws {
        try await withUnruly(WorkerLimits()) { coordinator, unruly, _ in
            let waiting = unruly.sendViewEvent(.wait)
            let computing = unruly.sendViewEvent(.computeUntilKilled(grace: 500))
            // An effect that is cancelled before it begins never begins.
            try await poll { unruly.viewState == 10 }
            computing.cancel(reason: "not needed")
            let cancellation = await computing.finish().cancellation
            #expect(cancellation == Cancellation(by: .sender, stage: .whileRunning, reason: "not needed"))
            let end = Interruption(cause: .limit("effect timeout"), incarnation: 1)
            #expect(await waiting.finish() == .interrupted(end))
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 11)
            #expect(coordinator.quarantine.events.isEmpty)
        }
    }

    @Test("An event whose turn exceeds the memory limit in two workers goes to quarantine (F10)")
    func memoryInTurn() async throws {
        try await withUnruly(WorkerLimits(memoryBytes: Self.memory)) { coordinator, unruly, _ in
            let poison = unruly.sendViewEvent(.hoard(megabytes: Self.hoard, inTurn: true))
            let behind = unruly.sendViewEvent(.add(1))
            guard case .rejected(let rejection) = await poison.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: poison.outcome))")
                return
            }
            #expect(rejection.code == .quarantined)
            #expect(coordinator.quarantine.events.map(\.cause) == [.limit("memory")])
            #expect(await behind.finish() == .finished)
            #expect(unruly.viewState == 1)
        }
    }

    @Test("The log and the history of a stopped host name the limit that was exceeded")
    func history() async throws {
        let log = BlockableLog()
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.logger = Logger(label: "test") { _ in log.handler }
        configuration.limits.memoryBytes = Self.memory
        configuration.restart.kind = .temporary
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            let process = try servingProcess(unruly)
            await unruly.sendViewEvent(.hoard(megabytes: Self.hoard, inTurn: false)).finish()
            var failures = Observations { unruly.hostStatus }.compactMap { status -> HostFailure? in
                if case .failed(let failure) = status { failure } else { nil }
            }.makeAsyncIterator()
            let failure = try #require(await failures.next())
            #expect(failure.reason == "the worker ended: passed its limit: memory")
            #expect(failure.history == ["oom-kill: passed its limit: memory"])
            #expect(failure.result == .oomKill)
            try await log.lines.until { lines in
                lines.contains {
                    $0.hasPrefix("Worker \(process) was killed because it uses ")
                        && $0.hasSuffix(" its limit is 201326592 bytes.")
                }
                    && lines.contains {
                        $0.hasPrefix("The worker (process \(process)), incarnation 1, ended: passed its limit: memory")
                    }
            }
        }
    }

    @Test(
        "A worker over its CPU limit is ended, the event says why, and the next worker has the whole time again",
        arguments: [false, true]
    )
    func cpuTime(ignoringSignals: Bool) async throws {
        try await withUnruly(WorkerLimits(cpuTime: .seconds(2))) { _, unruly, counter in
            for number in 1...2 {
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                if ignoringSignals { await unruly.sendViewEvent(.refuseToLeave).finish() }
                let computing = unruly.sendViewEvent(.compute(2, withTasks: false))
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                let end = Interruption(cause: .limit("CPU time"), incarnation: UInt64(number))
                #expect(await computing.finish() == .interrupted(end))
            }
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == (ignoringSignals ? 5 : 3))
        }
    }

    @Test("A turn over its time limit is shown before its worker is ended, and the cause names the limit (F7)")
    func turn() async throws {
        // Half of it is there to be seen in, also by a main actor that has much else to do.
        try await withUnruly(WorkerLimits(turnTimeout: .seconds(20))) { _, unruly, counter in
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            let process = try servingProcess(unruly)
            let start = ContinuousClock.now
            unruly.sendViewEvent(.hang)
            let late = try await status(of: unruly) { if case .unresponsive(let worker) = $0 { worker } else { nil } }
            #expect(late.processID == process && late.incarnation == 1)
            #expect(late.reason.hasPrefix("a turn has been running for "), "\(late.reason)")
            #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
            let end = Interruption(cause: .limit("turn"), incarnation: 1)
            #expect(await waiting.finish() == .interrupted(end))
            #expect(start.duration(to: .now) >= .milliseconds(19_990))
        }
    }

    @Test("A long turn is waited for, whatever the heartbeat, and its worker continues to serve")
    func longTurn() async throws {
        let heartbeat: Heartbeat = (.milliseconds(50), .seconds(4))
        try await withUnruly(WorkerLimits(turnTimeout: .seconds(120)), heartbeat: heartbeat) { _, unruly, _ in
            let process = try servingProcess(unruly)
            try await withSocketPath { path in
                let end = path + ".end"
                let start = ContinuousClock.now
                let resting = unruly.sendViewEvent(.restUntil(file: end))
                _ = try await status(of: unruly) { if case .unresponsive(let worker) = $0 { worker } else { nil } }
                // The turn is longer than the heartbeat timeout, because this test is about such a turn.
                try await Task.sleep(until: start + .seconds(6))
                #expect(FileManager.default.createFile(atPath: end, contents: nil))
                #expect(await resting.finish() == .finished)
            }
            let serving = try await status(of: unruly) { if case .serving(let worker) = $0 { worker } else { nil } }
            #expect(serving.processID == process)
        }
    }

    @Test("Many turns in a row that take long together are no hang, whether or not turns have a limit")
    func manyTurns() async throws {
        let heartbeat: Heartbeat = (.milliseconds(100), .seconds(4))
        for limit in [nil, Duration.seconds(60)] {
            try await withUnruly(WorkerLimits(turnTimeout: limit), heartbeat: heartbeat) { _, unruly, _ in
                let process = try servingProcess(unruly)
                for event in (1...15).map({ _ in unruly.sendViewEvent(.rest(milliseconds: 400)) }) {
                    #expect(await event.finish() == .finished)
                }
                let serving = try await status(of: unruly) { if case .serving(let worker) = $0 { worker } else { nil } }
                #expect(serving.processID == process)
            }
        }
    }

    @Test("The status distinguishes a worker that hangs outside of a turn from one whose turn takes long (F6)")
    func stoppedWorker() async throws {
        let heartbeat: Heartbeat = (.milliseconds(100), .seconds(60))
        try await withUnruly(WorkerLimits(), heartbeat: heartbeat) { _, unruly, _ in
            let process = try servingProcess(unruly)
            stop(process)
            let late = try await status(of: unruly) { if case .unresponsive(let worker) = $0 { worker } else { nil } }
            #expect(late.reason.hasPrefix("its event loop has not answered for "), "\(late.reason)")
            kill(process, SIGCONT)
            let serving = try await status(of: unruly) { if case .serving(let worker) = $0 { worker } else { nil } }
            #expect(serving.processID == process)
        }
    }

    @Test("The time for which a worker has not answered is reported each second, in tenths of a second")
    func silenceThatGrows() async throws {
        let heartbeat: Heartbeat = (.milliseconds(100), .seconds(60))
        try await withUnruly(WorkerLimits(), heartbeat: heartbeat) { _, unruly, _ in
            stop(try servingProcess(unruly))
            var statuses = Observations { unruly.hostStatus }.makeAsyncIterator()
            var reasons: Set<String> = []
            while reasons.count < 3, let status = await statuses.next() {
                if case .unresponsive(let worker) = status { reasons.insert(worker.reason) }
            }
            let silence = /its event loop has not answered for [0-9]+\.[0-9] seconds/
            #expect(reasons.allSatisfy { $0.wholeMatch(of: silence) != nil }, "\(reasons)")
        }
    }

    @Test(
        "Effects that wait for a thread are shown, and the worker continues when threads are free (F8)",
        arguments: [
            (UnrulyFeature.Action.occupy(blocking: 65, swift: 0), "effects that block"),
            (.occupy(blocking: 0, swift: ProcessInfo.processInfo.processorCount), "tasks that effects have started"),
        ]
    )
    func threadsThatAreTaken(action: UnrulyFeature.Action, what: String) async throws {
        let heartbeat: Heartbeat = (.milliseconds(100), .seconds(60))
        try await withUnruly(WorkerLimits(), heartbeat: heartbeat) { _, unruly, counter in
            let taking = unruly.sendViewEvent(action)
            let problem = try await status(of: unruly) {
                if case .serving(let worker) = $0 { worker.problem } else { nil }
            }
            let sentence = "and none has started for 5 seconds because others occupy all threads"
            #expect(problem == "\(what) wait for a thread, \(sentence)")
            // Turns, and effects that say nothing, go on.
            #expect(await unruly.sendViewEvent(.addLater(1)).finish() == .finished)
            #expect(await unruly.sendViewEvent(.stopComputing).finish() == .finished)
            _ = try await status(of: unruly) {
                if case .serving(let worker) = $0, worker.problem == nil { true } else { nil }
            }
            #expect(await taking.finish() == .finished)
        }
    }

    /// Waits for the first status for which `find` returns a value.
    private func status<Found>(
        of unruly: ViewModel<UnrulyFeature>,
        _ find: @escaping @Sendable (HostStatus) -> Found?
    ) async throws -> Found {
        var found = Observations { unruly.hostStatus }.compactMap(find).makeAsyncIterator()
        return try #require(await found.next())
    }

    @Test("At the limit of descriptors, only the effect fails that needs one more (F11)", arguments: [16, 40])
    func openFiles(limit: Int) async throws {
        try await withUnruly(WorkerLimits(openFiles: limit)) { _, unruly, _ in
            let process = try servingProcess(unruly)
            let text = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            // Both: a program cannot raise its own again.
            #expect(row.split(separator: " ").dropFirst(3).prefix(2) == ["\(limit)", "\(limit)"])
            for number in 1...3 {
                let failure = EffectFailure(type: "Errno", message: "24")
                #expect(await unruly.sendViewEvent(.openFiles).finish() == .failed(failure))
                #expect(await unruly.sendViewEvent(.addLater(1)).finish() == .finished)
                #expect(unruly.viewState == number)
            }
            #expect(try servingProcess(unruly) == process)
        }
    }

    @Test("A worker that can never stay within its limits is given up, and the error says so")
    func tooTight() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.limits.memoryBytes = WorkerLimits.minimumMemoryBytes
        configuration.restart.kind = .temporary
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) {
                let unruly = try await $0.viewModel(UnrulyFeature.self)
                // It may have served before it was looked at.
                await unruly.sendViewEvent(.wait).finish()
                _ = try await $0.viewModel(UnrulyFeature.self, instance: "other")
            }
        }
        #expect(error?.code == .workerFailed)
        #expect(error?.message.contains("passed its limit: memory") == true)
    }
}

#endif
