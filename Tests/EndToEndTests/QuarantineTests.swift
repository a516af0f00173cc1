import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Events that end their worker each time.
@MainActor @Suite(.timeLimit(.minutes(10))) struct QuarantineTests {
    private func withUnruly(
        _ change: (inout CoordinatorConfiguration) -> Void = { _ in },
        _ body: (Coordinator, ViewModel<UnrulyFeature>, _ path: String) async throws -> Void
    ) async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("unruly"))
        configuration.restart.initialDelay = .milliseconds(1)
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        configuration.limits.turnTimeout = .seconds(60)
        // More than two deaths would be too many.
        configuration.restart.intensity.restarts = 2
        change(&configuration)
        try await withSocketPath { path in
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                try await body($0, try await $0.viewModel(UnrulyFeature.self), path)
            }
        }
    }

    private func expectQuarantined(_ task: EventTask, after cause: String) async {
        guard case .rejected(let rejection) = await task.finish() as EventOutcome else {
            Issue.record("it ended \(String(describing: task.outcome))")
            return
        }
        #expect(rejection.code == .quarantined)
        #expect(
            rejection.reason
                == "Two incarnations of the worker ended in the turn of this event, or while it was the only event in"
                + " flight, the last time: \(cause). Find out why before you send it again."
        )
    }

    @Test("An event that ends two workers is rejected, and the events before and after it are applied once (F15)")
    func poison() async throws {
        try await withUnruly { coordinator, unruly, _ in
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            let behind = unruly.sendViewEvent(.add(10))
            await expectQuarantined(poison, after: "killed by signal 6 (SIGABRT)")
            #expect(await behind.finish() == .finished)
            #expect(unruly.viewState == 11)
            #expect(coordinator.quarantine.events.map(\.cause) == [.signal(SIGABRT)])
            #expect(coordinator.quarantine.events.map(\.event) == [poison.id])
        }
    }

    @Test("Many poison events are each rejected, from any sender, and do not count against the worker (F15)")
    func muchPoison() async throws {
        try await withUnruly { coordinator, unruly, path in
            try await withClient(connectingTo: path) { client in
                let other = try await client.viewModel(UnrulyFeature.self)
                for number in 1...4 {
                    let poison = [unruly, other].map { $0.sendViewEvent(.crash(unless: "/nowhere")) }
                    let adding = [unruly, other].map { $0.sendViewEvent(.add(1)) }
                    for event in poison { await expectQuarantined(event, after: "killed by signal 6 (SIGABRT)") }
                    for event in adding { #expect(await event.finish() == .finished) }
                    try await poll { unruly.viewState == 2 * number }
                }
                #expect(coordinator.quarantine.events.count == 8)
            }
        }
    }

    @Test("An event that hangs its turn each time is rejected after two workers (F82)")
    func hangs() async throws {
        try await withUnruly {
            $0.limits.turnTimeout = .seconds(1)
        } _: { _, unruly, _ in
            let hang = unruly.sendViewEvent(.hang)
            let behind = unruly.sendViewEvent(.add(1))
            await expectQuarantined(hang, after: "passed its limit: turn")
            #expect(await behind.finish() == .finished)
        }
    }

    @Test("Without a turn limit, an event that hangs its turn is rejected after two missed heartbeats (F82)")
    func hangsInSilence() async throws {
        try await withUnruly {
            $0.heartbeatInterval = .milliseconds(100)
            $0.heartbeatTimeout = .seconds(2)
            $0.limits.turnTimeout = nil
        } _: { _, unruly, _ in
            let hang = unruly.sendViewEvent(.hang)
            await expectQuarantined(hang, after: "stopped answering")
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
        }
    }

    @Test("Of many events in flight, the one in whose turn two workers end is quarantined (F15)")
    func inItsTurn() async throws {
        try await withUnruly { coordinator, unruly, _ in
            let before = (1...100).map { _ in unruly.sendViewEvent(.add(1)) }
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            let behind = (1...100).map { _ in unruly.sendViewEvent(.add(1)) }
            await expectQuarantined(poison, after: "killed by signal 6 (SIGABRT)")
            for event in before + behind { #expect(await event.finish() == .finished) }
            #expect(unruly.viewState == 200)
            #expect(coordinator.quarantine.events.map(\.incarnations) == [[1, 2]])
        }
    }

    @Test("A crash report names the event in whose turn the crash was")
    func reportedTurn() async throws {
        try await withUnruly { _, unruly, _ in
            // Interrupted by the first end or, if it was not acknowledged before, by the second.
            let waiting = unruly.sendViewEvent(.wait)
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            guard case .interrupted(let interruption) = await waiting.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: waiting.outcome))")
                return
            }
            #expect(interruption.report?.turn == poison.id)
            await expectQuarantined(poison, after: "killed by signal 6 (SIGABRT)")
        }
    }

    @Test("A kill from outside blames no event")
    func killedFromOutside() async throws {
        try await withUnruly {
            $0.restart.intensity.restarts = 100
        } _: { coordinator, unruly, path in
            let event = unruly.sendViewEvent(.block(marker: path + ".marker"))
            while access(path + ".marker", F_OK) != 0 { await Task.yield() }
            kill(try servingProcess(unruly), SIGKILL)
            #expect(await event.finish() == .finished)
            for _ in 1...5 {
                kill(try servingProcess(unruly), SIGTERM)
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            }
            #expect(unruly.viewState == 6)
            #expect(coordinator.quarantine.events.isEmpty)
        }
    }

    @Test("A retried event stays in quarantine while no worker can start, and is not sent to a closed instance")
    func retriesThatAreNotTaken() async throws {
        try await withUnruly { coordinator, unruly, _ in
            await expectQuarantined(
                unruly.sendViewEvent(.crash(unless: "/nowhere")),
                after: "killed by signal 6 (SIGABRT)"
            )
            let event = try #require(coordinator.quarantine.events.first)
            #expect(event.incarnations == [1, 2])
            // Effects that end it, until it is given up.
            while case .interrupted = await unruly.sendViewEvent(.exit(3)).finish() as EventOutcome {}
            #expect(coordinator.quarantine.retry(event)?.outcome == .rejected(.closed))
            #expect(coordinator.quarantine.events.map(\.id) == [event.id])
            await coordinator.resetWorker()
            coordinator.close(UnrulyFeature.self)
            #expect(coordinator.quarantine.retry(event)?.outcome != .finished)
        }
    }

    @Test("An event in quarantine can be sent again under its name, or dropped")
    func byHand() async throws {
        try await withUnruly { coordinator, unruly, path in
            let marker = path + ".harmless"
            let poison = unruly.sendViewEvent(.crash(unless: marker))
            await expectQuarantined(poison, after: "killed by signal 6 (SIGABRT)")
            let event = try #require(coordinator.quarantine.events.first)
            _ = FileManager.default.createFile(atPath: marker, contents: nil)
            let again = try #require(coordinator.quarantine.retry(event))
            #expect(again.id == poison.id)
            #expect(await again.finish() == .finished)
            #expect(unruly.viewState == 1)
            #expect(coordinator.quarantine.events.isEmpty)
            #expect(coordinator.quarantine.retry(event) == nil)
            #expect(!coordinator.quarantine.drop(event))
            try FileManager.default.removeItem(atPath: marker)
            let second = unruly.sendViewEvent(.crash(unless: marker))
            await expectQuarantined(second, after: "killed by signal 6 (SIGABRT)")
            let next = try #require(coordinator.quarantine.events.first)
            #expect(next.id == event.id + 1)
            #expect(coordinator.quarantine.drop(next))
            #expect(coordinator.quarantine.events.isEmpty)
        }
    }
}
