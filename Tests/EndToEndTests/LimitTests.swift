// What one process may keep another from is Linux's.
#if os(Linux)

import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Observation
import Testing

/// Workers that use more than they may.
@MainActor @Suite(.timeLimit(.minutes(3))) struct LimitTests {
    /// More than a worker needs, and half of what it takes then.
    private static let memory = 192 << 20
    private static let hoard = 384

    private func withUnruly(
        _ limits: WorkerLimits,
        _ body: (Coordinator, ViewModel<UnrulyFeature>, ViewModel<Counter>) async throws -> Void
    ) async throws {
        var configuration = configuration(workers: Programs.path("counter"))
        // On a busy machine as well.
        configuration.heartbeatLimit = .seconds(60)
        var unruly = WorkerGroup("unruly", of: UnrulyFeature.self)
        unruly.executable = Programs.path("unruly")
        unruly.limits = limits
        configuration.groups = [unruly]
        try await withCoordinator(hosting: Counter.self, UnrulyFeature.self, configuration: configuration) {
            let counter = try await $0.viewModel(Counter.self)
            let process = try servingProcess(counter)
            try await body($0, try await $0.viewModel(UnrulyFeature.self), counter)
            // Nobody else is disturbed.
            #expect(try servingProcess(counter) == process)
        }
    }

    @Test("F10: a worker that eats memory is ended, the event says why, and the next worker goes on with the state")
    func memory() async throws {
        try await withUnruly(WorkerLimits(memoryBytes: Self.memory)) { coordinator, unruly, counter in
            for number in 1...2 {
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                let hoarding = unruly.sendViewEvent(.hoard(megabytes: Self.hoard, inTurn: false))
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                let end = Interruption(cause: .limit("memory"), incarnation: UInt64(number))
                #expect(await hoarding.finish() == .interrupted(end))
            }
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 3)
            #expect(coordinator.quarantine.events.isEmpty)
        }
    }

    @Test("F10: an event whose turn eats memory in two lives goes to quarantine")
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

    @Test("the log and the history of a host that is given up name the limit")
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
            #expect(failure.history == ["passed its limit: memory"])
            try await log.lines.until { lines in
                lines.contains {
                    $0.hasPrefix("worker \(process) has ") && $0.hasSuffix(" may have 201326592, and is ended")
                }
                    && lines.contains { $0.hasPrefix("worker incarnation 1 ended: passed its limit: memory") }
            }
        }
    }

    @Test("a worker that computes for too long is ended, the event says why, and the next one has the whole time again")
    func cpuTime() async throws {
        try await withUnruly(WorkerLimits(cpuTime: .seconds(2))) { _, unruly, counter in
            for number in 1...2 {
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                let computing = unruly.sendViewEvent(.compute(2, withTasks: false))
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                let end = Interruption(cause: .limit("CPU time"), incarnation: UInt64(number))
                #expect(await computing.finish() == .interrupted(end))
            }
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 3)
        }
    }

    @Test("F11: with few descriptors only the effect fails that wants one more", arguments: [16, 40])
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

    @Test("limits that no worker can stay within are given up on, and say so")
    func tooTight() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.limits.memoryBytes = WorkerLimits.leastMemoryBytes
        configuration.restart.kind = .temporary
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) {
                let unruly = try await $0.viewModel(UnrulyFeature.self)
                // It may have served before it was looked at.
                await unruly.sendViewEvent(.wait).finish()
                _ = try await $0.viewModel(UnrulyFeature.self, instance: "other")
            }
        }
        #expect(error?.message == "no worker serves \"unruly\": the worker ended: passed its limit: memory")
    }
}

#endif
