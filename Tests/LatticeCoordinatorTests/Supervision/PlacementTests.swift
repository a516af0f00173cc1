import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(3)))
struct PlacementTests {
    private func withSupervisors(
        _ count: Int,
        _ body: @MainActor ([WorkerSupervisor]) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            try await body(
                (0..<count).map { _ in
                    WorkerSupervisor(
                        launcher: ScriptedLauncher([.serves], eventLoop: reactor),
                        configuration: CoordinatorConfiguration(),
                        eventLoop: reactor,
                        memory: .random(),
                        seed: 1
                    )
                }
            )
        }
    }

    @Test func eachInstanceOfAFeatureIsServedByTheWorkerOfItsGroup() async throws {
        try await withSupervisors(2) { supervisors in
            let placement = Placement([(["a", "b"], supervisors[0]), (["c", "a"], supervisors[1])])
            #expect(placement.supervisor(of: .init(feature: "a", instance: "")) === supervisors[0])
            #expect(placement.supervisor(of: .init(feature: "a", instance: "1")) === supervisors[0])
            #expect(placement.supervisor(of: .init(feature: "b", instance: "")) === supervisors[0])
            #expect(placement.supervisor(of: .init(feature: "c", instance: "")) === supervisors[1])
            #expect(placement.supervisor(of: .init(feature: "d", instance: "")) == nil)
        }
    }

    @Test func everySupervisorRunsUntilTheLastOneStops() async throws {
        try await withSupervisors(3) { supervisors in
            let placement = Placement(supervisors.map { ([], $0) })
            async let run: Void = placement.forEach { await $0.run() }
            await placement.forEach { await $0.stop(within: .seconds(60)) }
            await run
        }
    }

    @Test("A registry asks the table which worker serves a feature; one without a place is not hosted")
    func theRegistryAsksTheTable() async throws {
        try await withSupervisors(2) { supervisors in
            let registry = try FeatureRegistry(
                features: [JournalFeature.self, OtherFeature.self, ProfileFeature.self],
                placement: Placement([(["journal"], supervisors[0]), (["other"], supervisors[1])])
            )
            for (feature, supervisor) in [("journal", supervisors[0]), ("other", supervisors[1])] {
                let status = HostStatus.failed(HostFailure(reason: feature))
                supervisor.channels.report(status)
                _ = try registry.host(feature, "")
            }
            let journal = try registry.host(JournalFeature.self, "")
            let other = try registry.host(OtherFeature.self, "")
            while journal.viewModel.hostStatus.isConnecting || other.viewModel.hostStatus.isConnecting {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect("\(journal.viewModel.hostStatus) \(other.viewModel.hostStatus)" == "failed: journal failed: other")
            let error = #expect(throws: CoordinatorError.self) { _ = try registry.host(ProfileFeature.identifier, "") }
            #expect(error?.code == .notHosted)
        }
    }
}

extension HostStatus {
    fileprivate var isConnecting: Bool { self == .connecting }
}
