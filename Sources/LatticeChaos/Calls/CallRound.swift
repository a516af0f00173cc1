import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeFaults

/// A round with a coordinator and workers with actors. The coordinator and its clients call them while faults are
/// injected. Then the guarantees are checked.
@MainActor struct CallRound {
    private static let group = "calls"

    let plan: CallPlan
    private let folder: String
    private let leftovers: Leftovers

    /// Creates a round.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - folder: An empty folder for the socket and the logs.
    init(_ plan: CallPlan, folder: String) {
        self.plan = plan
        self.folder = folder
        leftovers = Leftovers(folder: folder, timeout: plan.pace.leaveTimeout)
    }

    func run() async -> ChaosResult { await leftovers.checking("the round of calls") { try await withFaults() } }

    private func withFaults() async throws -> ChaosResult {
        let path = "\(folder)/chaos.sock"
        var configuration = CoordinatorConfiguration.chaos(mark: leftovers.mark, patience: plan.patience, plan.pace)
        var group = WorkerGroup(Self.group, workers: CallPlan.callees)
        group.arguments = [Chaos.callWorkerArgument, folder]
        configuration.groups = [group]
        let workers = configuration.inject(plan.workers, into: .group(Self.group))
        let clients = configuration.inject(plan.clients, into: .clients)
        let story = try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
            leftovers.watch(coordinator, as: "the coordinator")
            return try await withNearClients(path, [CallParticipant(plan.parts[0], at: coordinator.node)])
        }
        // The logs are read when no worker is running that could still write.
        var checker = story.checker
        checker.logs = try CallLog.takeAll(in: folder)
        let ends = Dictionary(checker.records.map { ($0.end.name, 1) }, uniquingKeysWith: +)
        return ChaosResult(
            violations: story.violations + checker.violations(),
            ends: ends,
            workerFaults: workers.struck.count,
            clientFaults: clients.struck.count
        )
    }

    private func withNearClients(_ path: String, _ near: [CallParticipant]) async throws -> CallStory.Result {
        for participant in near.suffix(1) {
            leftovers.watch(participant.system, as: "the actor system of caller \(participant.part.caller)")
        }
        guard near.count <= CallPlan.nearClients else { return try await withFarClient(path, near) }
        let configuration = ClientConfiguration.chaos(patience: plan.patience)
        return try await withClient(connectingTo: path, configuration: configuration) { client in
            leftovers.watch(client, as: "client \(near.count)")
            let next = CallParticipant(plan.parts[near.count], at: client.node)
            return try await withNearClients(path, near + [next])
        }
    }

    private func withFarClient(_ path: String, _ near: [CallParticipant]) async throws -> CallStory.Result {
        let configuration = CoordinatorConfiguration.chaosClient(mark: leftovers.mark)
        return try await withCoordinator(hosting: ChaosClientFeature.self, configuration: configuration) {
            coordinator in
            leftovers.watch(coordinator, as: "the coordinator of caller \(plan.parts[near.count].caller)")
            let far = try await coordinator.viewModel(ChaosClientFeature.self)
            return try await CallStory(plan, near: near, far: far, leftovers).run(path)
        }
    }
}
