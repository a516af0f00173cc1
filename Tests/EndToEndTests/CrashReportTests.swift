import Dispatch
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests what clients learn about the end of a worker.
@MainActor @Suite(.timeLimit(.minutes(10))) struct CrashReportTests {
    private func withClient(
        sharing sharesCrashReports: Bool,
        observers: [RuntimeObserver] = [],
        _ body: (Coordinator, Client) async throws -> Void
    ) async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        configuration.sharesCrashReports = sharesCrashReports
        configuration.observers += observers
        try await withSocketPath { path in
            try await withCoordinator(
                hosting: UnrulyFeature.self,
                NamingFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await LatticeClient.withClient(connectingTo: path) { try await body(coordinator, $0) }
            }
        }
    }

    /// Blocks the main actor until a number of signals has come.
    ///
    /// - Returns: Whether they came within a minute each.
    private func block(until count: Int, of signals: DispatchSemaphore) -> Bool {
        (0..<count).allSatisfy { _ in signals.wait(timeout: .now() + .seconds(60)) == .success }
    }

    @Test(
        "A client whose effect trapped gets the message of the trap if the coordinator allows it",
        arguments: [true, false]
    )
    func trap(isShared: Bool) async throws {
        try await withClient(sharing: isShared) { _, client in
            let naming = try await client.viewModel(NamingFeature.self)
            let trap = naming.sendViewEvent(.start([NamingFeature.Job("trap", .trap, atMost: 1)]))
            guard case .interrupted(let interruption) = await trap.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: trap.outcome))")
                return
            }
            #expect(interruption.incarnation == 1)
            #expect((interruption.report != nil) == isShared)
            guard let report = interruption.report else { return }
            #expect(report.output.contains { $0.contains("Fatal error: told to trap") }, "\(report.output)")
            #expect(report.incarnation == 1 && report.effects == ["trap"] && report.turn == nil)
            #expect(report.lifetime > .zero && report.group.isEmpty && report.processID > 0)
        }
    }

    @Test(
        "The sender of a quarantined event gets the last crash report, and so does a reader of the quarantine",
        arguments: [(true, false), (false, false), (true, true)]
    )
    func poison(isShared: Bool, isMainActorBusy: Bool) async throws {
        let terminations = DispatchSemaphore(value: 0)
        let observer = RuntimeObserver(of: .workers) { event in
            if case .workerTerminated = event { terminations.signal() }
        }
        try await withClient(sharing: isShared, observers: [observer]) { coordinator, client in
            let unruly = try await client.viewModel(UnrulyFeature.self)
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            // The view models of the coordinator and of the client find both deaths at once.
            if isMainActorBusy { #expect(block(until: 2, of: terminations)) }
            guard case .rejected(let rejection) = await poison.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: poison.outcome))")
                return
            }
            #expect(rejection.code == .quarantined)
            #expect(rejection.report?.turn == (isShared ? poison.id : nil))
            #expect(rejection.report?.incarnation == (isShared ? 2 : nil))
            guard case .interrupted(let interruption) = await waiting.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: waiting.outcome))")
                return
            }
            #expect(interruption.report?.incarnation == (isShared ? 1 : nil))
            // The coordinator's own program knows it in any case.
            let kept = try #require(coordinator.quarantine.events.first)
            #expect(kept.event == poison.id)
            #expect(kept.report?.turn == poison.id && kept.report?.incarnation == 2)
        }
    }
}
