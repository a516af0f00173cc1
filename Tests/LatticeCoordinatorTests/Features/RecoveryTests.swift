import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct RecoveryTests {
    @Test func aFeatureAnswersTheDeathOfItsWorker() async throws {
        try await withWaitingFeature { bench, host, gate in
            try await bench.killWorker()
            bench.startWorker()
            try await expectRecovery(host, gate)
        }
    }

    @Test func afterAResetAFeatureAnswersTheDeathThatItCouldNot() async throws {
        try await withWaitingFeature { bench, host, gate in
            try await bench.killWorker()
            let channels = bench.supervisor.channels
            channels.close(
                reason: "given up",
                interruption: Interruption(cause: .disconnected, incarnation: 0)
            )
            channels.report(.failed(HostFailure(reason: "given up")))
            try await eventually { host.viewModel.hostStatus == .failed(HostFailure(reason: "given up")) }
            #expect(await host.viewModel.viewState.recoveries == 0)
            channels.revive()
            bench.startWorker()
            try await expectRecovery(host, gate)
        }
    }

    /// A feature whose action of recovery cannot be encoded. Each other action has an effect that waits.
    enum UnsendableFeature: HostedFeature {
        struct Action: Codable, Sendable {
            var isSendable = true

            func encode(to encoder: any Encoder) throws {
                guard isSendable else {
                    throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "never"))
                }
                var container = encoder.singleValueContainer()
                try container.encode(isSendable)
            }

            init(isSendable: Bool = true) { self.isSendable = isSendable }

            init(from decoder: any Decoder) throws {
                isSendable = try decoder.singleValueContainer().decode(Bool.self)
            }
        }

        static let gate = Gates.makeName()
        /// The number of calls of `recovery`.
        static let recoveries = Watched(0)

        static let identifier = "unsendable"
        static func initialDomainState(in context: HostContext) -> Int { 0 }
        static func interactor(in context: HostContext) -> Interact<Int, Action> {
            Interact { state, _ in
                state += 1
                return .run { _ in try await Gates.wait(gate) }
            }
        }
        static func reducer() -> BuildViewState<Int, Int> {
            BuildViewState(initial: { $0 }) { domainState, viewState in viewState = domainState }
        }
        static func recovery(from interruption: Interruption, in state: Int) -> Action? {
            recoveries.change { $0 += 1 }
            return Action(isSendable: false)
        }
    }

    @Test("An action that is rejected each time is tried again with the next worker, and not without end")
    func unsendable() async throws {
        try await CoordinatorBench.with(hosting: [UnsendableFeature.self]) { bench in
            bench.startWorker()
            let host = try await bench.host(UnsendableFeature.self, "")
            try await host.whenOpened()
            for number in 1...3 {
                // This also shows that the worker before has been answered.
                let event = await host.viewModel.sendViewEvent(UnsendableFeature.Action())
                try await eventually { host.acknowledgedState == number }
                for _ in 1...100 { await bench.reactor.endOfTick() }
                // At most one try after each death, and one with each worker.
                #expect(UnsendableFeature.recoveries.value <= 2 * (number - 1))
                try await bench.killWorker()
                bench.startWorker()
                let interruption = Interruption(cause: .signal(9), incarnation: UInt64(number))
                #expect(await event.finish() == .interrupted(interruption))
                try await UnsendableFeature.recoveries.until { $0 >= number }
            }
        }
    }

    private func expectRecovery(_ host: FeatureHost<RecoveringFeature>, _ gate: String) async throws {
        try await Gates.untilArrived(gate, count: 2)
        Gates.open(gate)
        try await eventually { host.viewModel.viewState == .init(gate: nil, recoveries: 1) }
    }

    /// A feature with an effect that waits at the gate, acknowledged.
    private func withWaitingFeature(
        _ body: (CoordinatorBench, FeatureHost<RecoveringFeature>, String) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host(RecoveringFeature.self, "")
            try await host.whenOpened()
            let gate = Gates.makeName()
            _ = await host.viewModel.sendViewEvent(.wait(gate: gate))
            try await Gates.untilArrived(gate)
            try await eventually { host.acknowledgedState?.gate == gate }
            try await body(bench, host, gate)
        }
    }

    /// Waits on the main actor until the condition holds; the time limit of the test bounds it.
    @MainActor private func eventually(_ condition: @MainActor () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
