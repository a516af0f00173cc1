import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Effects with names in workers that die.
@MainActor @Suite(.timeLimit(.minutes(10))) struct NamedEffectTests {
    private typealias Job = NamingFeature.Job

    private func withRecovering(
        _ body: (ViewModel<NamingFeature>) async throws -> Void
    ) async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        // No death may count.
        configuration.restart.intensity.restarts = 0
        try await withCoordinator(hosting: NamingFeature.self, configuration: configuration) {
            try await body(try await $0.viewModel(NamingFeature.self))
        }
    }

    private func failure(_ name: String, _ end: String) -> EventOutcome {
        .failed(
            EffectFailure(
                type: "InterruptedEffect",
                message: "The effect \"\(name)\" was running when its worker ended: killed by signal 6 (SIGABRT)\(end)"
            )
        )
    }

    @Test("An effect that crashes its workers is offered for recovery up to its maximum, then its event fails")
    func recovered() async throws {
        try await withRecovering { recovering in
            let first = recovering.sendViewEvent(.start([Job("a", .crash, atMost: 2)]))
            guard case .interrupted(let interruption) = await first.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: first.outcome))")
                return
            }
            #expect(interruption.cause == .signal(SIGABRT))
            // Twice it is started again; the third death is not answered.
            await until(recovering) { $0.recovered.count == 3 }
            #expect(
                recovering.viewState.recovered == [
                    [InterruptedEffect(name: "a", deaths: 1)], [InterruptedEffect(name: "a", deaths: 2)], [],
                ]
            )
            #expect(await recovering.sendViewEvent(.grow(1)).finish() == .finished)
        }
    }

    @Test("An effect with the policy to fail fails its event, and the error names the effect")
    func failed() async throws {
        try await withRecovering { recovering in
            let event = recovering.sendViewEvent(.start([Job("b", .crash)]))
            #expect(await event.finish() == failure("b", ""))
            #expect(await recovering.sendViewEvent(.grow(1)).finish() == .finished)
        }
    }

    @Test("Effects that ran beside a crash are offered for recovery, and ended or cancelled effects are not")
    func beside() async throws {
        try await withRecovering { recovering in
            let cancelled = recovering.sendViewEvent(.start([Job("gone", .last, atMost: 2)]))
            let other = recovering.sendViewEvent(.start([Job("put off", .last, atMost: 2)]))
            let running = recovering.sendViewEvent(.start([Job("beside", .last, atMost: 2)]))
            #expect(await recovering.sendViewEvent(.cancel("put off")).finish() == .finished)
            #expect(await other.finish() == .cancelled)
            cancelled.cancel()
            #expect(await cancelled.finish() == .cancelled)
            let crash = recovering.sendViewEvent(.start([Job("crash", .crash, atMost: 1)]))
            _ = await crash.finish()
            _ = await running.finish()
            await until(recovering) { !$0.recovered.isEmpty }
            #expect(
                recovering.viewState.recovered.first?.map(\.name) == ["beside", "crash"]
            )
        }
    }

    @Test("A crash report has the worker's last output, its running effects, and the events in flight")
    func report() async throws {
        try await withRecovering { recovering in
            let running = recovering.sendViewEvent(.start([Job("beside", .last, atMost: 2)]))
            let crash = recovering.sendViewEvent(.start([Job("trap", .trap, atMost: 1)]))
            guard case .interrupted(let interruption) = await crash.finish() as EventOutcome,
                let report = interruption.report
            else {
                Issue.record("it ended \(String(describing: crash.outcome))")
                return
            }
            _ = await running.finish()
            #expect(report.output.contains { $0.contains("Fatal error: told to trap") }, "\(report.output)")
            #expect(report.output.contains { $0.contains("NamingFeature.swift") }, "\(report.output)")
            #expect(report.effects == ["beside", "trap"])
            #expect(report.events.isEmpty && report.turn == nil)
            #expect(report.lifetime > .zero && report.group.isEmpty && report.processID > 0)
        }
    }

    private func until(
        _ recovering: ViewModel<NamingFeature>,
        _ condition: @escaping (NamingFeature.ViewState) -> Bool
    ) async {
        while !condition(recovering.viewState) { await Task.yield() }
    }
}
