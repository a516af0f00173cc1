import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct PlacementTests {
    private nonisolated func makeSupervisor(_ reactor: Reactor) -> WorkerSupervisor {
        WorkerSupervisor(
            launcher: ScriptedLauncher([.serves], eventLoop: reactor),
            configuration: CoordinatorConfiguration(),
            eventLoop: reactor,
            sender: .random(),
            seed: 1
        )
    }

    private func withSupervisors(
        _ count: Int,
        _ body: @MainActor ([WorkerSupervisor]) async throws -> Void
    ) async throws {
        try await withReactor { reactor in try await body((0..<count).map { _ in makeSupervisor(reactor) }) }
    }

    /// Features "a" and "b", whose instances have workers of their own: two at most.
    private func withWorkersOfInstances(
        _ body: @MainActor (Placement, _ run: Task<Void, Never>) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            let workers = Placement.Group.Workers.onePerInstance(atMost: 2) { _ in makeSupervisor(reactor) }
            let placement = Placement([.init(name: "each", features: ["a", "b"], workers: workers)])
            let run = Task { await placement.run() }
            try await body(placement, run)
            await placement.stop(within: .zero)
            await run.value
        }
    }

    @Test func eachInstanceOfAFeatureIsServedByTheWorkerOfItsGroup() async throws {
        try await withSupervisors(2) { supervisors in
            let placement = Placement([
                .init(features: ["a", "b"], workers: .one(supervisors[0])),
                .init(features: ["c", "a"], workers: .one(supervisors[1])),
            ])
            let places = [("a", "", 0), ("a", "1", 0), ("b", "", 0), ("c", "", 1)]
            for (feature, instance, place) in places {
                let key = FeatureRegistry.Key(feature: feature, instance: instance)
                #expect(placement.supervisor(of: key) === supervisors[place])
                let placed = try placement.place(key)
                #expect(placed === supervisors[place])
            }
            let unplaced = FeatureRegistry.Key(feature: "d", instance: "")
            #expect(placement.supervisor(of: unplaced) == nil)
            let placed = try placement.place(unplaced)
            #expect(placed == nil)
        }
    }

    @Test func everySupervisorRunsUntilTheLastOneStops() async throws {
        try await withSupervisors(3) { supervisors in
            let placement = Placement(supervisors.map { .init(features: [], workers: .one($0)) })
            async let run: Void = placement.run()
            await placement.stop(within: .seconds(60))
            await run
        }
    }

    @Test("An instance with a worker of its own gets it when it is placed, and keeps it")
    func ownWorkers() async throws {
        try await withWorkersOfInstances { placement, _ in
            let key = FeatureRegistry.Key(feature: "a", instance: "1")
            #expect(placement.supervisor(of: key) == nil)
            let own = try #require(try placement.place(key))
            let again = try placement.place(key)
            #expect(again === own)
            #expect(placement.supervisor(of: key) === own)
            let other = try placement.place(.init(feature: "b", instance: "1"))
            #expect(other !== own)
        }
    }

    @Test("A group has at most its maximum of instance workers, and the next instance is refused until one is released")
    func asManyAsThereMayBe() async throws {
        try await withWorkersOfInstances { placement, _ in
            let keys = ["1", "2", "3"].map { FeatureRegistry.Key(feature: "a", instance: $0) }
            let first = try #require(try placement.place(keys[0]))
            _ = try placement.place(keys[1])
            let full = CoordinatorError.tooManyWorkers(2, in: "each")
            #expect(throws: full) { try placement.place(keys[2]) }
            placement.release(keys[0])
            #expect(placement.supervisor(of: keys[0]) == nil)
            let again = try #require(try placement.place(keys[0]))
            #expect(again !== first)
            #expect(throws: full) { try placement.place(keys[2]) }
        }
    }

    @Test("A cancelled placement places nothing more, and waits of placed instances end")
    func cancelledRun() async throws {
        try await withWorkersOfInstances { placement, run in
            let key = FeatureRegistry.Key(feature: "a", instance: "1")
            let supervisor = try #require(try placement.place(key))
            run.cancel()
            await run.value
            #expect(throws: CoordinatorError.stopping) { try placement.place(.init(feature: "a", instance: "2")) }
            let host = try FeatureHost<JournalFeature>(instance: "1", supervisor: supervisor, onIdle: { _ in false })
            await #expect(throws: ChannelEnd.self) { try await host.whenOpened() }
            #expect(await host.viewModel.sendViewEvent(.add(1)).finish() == .rejected(.closed))
        }
    }

    @Test("Releasing an instance that was never placed has no effect, and after a stop nothing is placed")
    func afterTheStop() async throws {
        try await withWorkersOfInstances { placement, run in
            let key = FeatureRegistry.Key(feature: "a", instance: "1")
            placement.release(key)
            placement.release(.init(feature: "c", instance: ""))
            _ = try placement.place(key)
            await placement.stop(within: .zero)
            await run.value
            #expect(throws: CoordinatorError.stopping) { try placement.place(.init(feature: "a", instance: "2")) }
        }
    }

    @Test("A registry finds the worker of a feature in the placement, and a feature without one is not hosted")
    func theRegistryAsksTheTable() async throws {
        try await withSupervisors(2) { supervisors in
            let registry = try FeatureRegistry(
                features: [JournalFeature.self, OtherFeature.self, ProfileFeature.self],
                placement: Placement([
                    .init(features: ["journal"], workers: .one(supervisors[0])),
                    .init(features: ["other"], workers: .one(supervisors[1])),
                ])
            )
            for (feature, supervisor) in [("journal", supervisors[0]), ("other", supervisors[1])] {
                let status = HostStatus.failed(HostFailure(reason: feature))
                supervisor.channels.report(status)
                _ = try await registry.host(feature, "")
            }
            let journal = try await registry.host(JournalFeature.self, "")
            let other = try await registry.host(OtherFeature.self, "")
            while journal.viewModel.hostStatus.isConnecting || other.viewModel.hostStatus.isConnecting {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect("\(journal.viewModel.hostStatus) \(other.viewModel.hostStatus)" == "failed: journal failed: other")
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await registry.host(ProfileFeature.identifier, "")
            }
            #expect(error?.code == .notHosted)
        }
    }
}

extension HostStatus {
    fileprivate var isConnecting: Bool { self == .connecting }
}
