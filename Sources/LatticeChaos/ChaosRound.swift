import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeFaults

/// A round with a coordinator, workers and clients. They send, cancel and watch at random while faults are injected.
/// Then the guarantees are checked.
@MainActor struct ChaosRound {
    private typealias FarClient = (part: ChaosParticipant.Part, viewModel: ViewModel<ChaosClientFeature>)

    let plan: ChaosPlan
    private let folder: String
    private let leftovers: Leftovers

    /// Creates a round.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - folder: An empty folder for the socket.
    init(_ plan: ChaosPlan, folder: String) {
        self.plan = plan
        self.folder = folder
        leftovers = Leftovers(folder: folder, timeout: plan.pace.leaveTimeout)
    }

    func run() async -> ChaosResult { await leftovers.checking("the round") { try await withFaults() } }

    private func withFaults() async throws -> ChaosResult {
        let path = "\(folder)/chaos.sock"
        var configuration = CoordinatorConfiguration.chaos(mark: leftovers.mark, patience: plan.patience, plan.pace)
        var spared = WorkerGroup("spared", of: ChaosFeature<SecondChaos>.self)
        // The spared worker also has the default boot timeout, and not a short one.
        spared.restart = RestartPolicy()
        configuration.groups = [spared]
        configuration.standby = plan.standbys > 0
        let workers = configuration.inject(plan.workers, into: .group(""))
        let clients = configuration.inject(plan.clients, into: .clients)
        var result = try await withCoordinator(
            hosting: ChaosFeature<FirstChaos>.self,
            ChaosFeature<SecondChaos>.self,
            listeningAt: path,
            configuration: configuration
        ) { coordinator in
            leftovers.watch(coordinator, as: "the coordinator")
            let first = ChaosParticipant(plan.parts[0], views: try await ChaosView.all(in: coordinator))
            return try await withNearClients(path, [first])
        }
        result.workerFaults = workers.struck.count
        result.clientFaults = clients.struck.count
        return result
    }

    private func withNearClients(_ path: String, _ near: [ChaosParticipant]) async throws -> ChaosResult {
        guard near.count <= ChaosPlan.nearClients else { return try await withFarClients(path, near, []) }
        let configuration = ClientConfiguration.chaos(patience: plan.patience)
        return try await withClient(connectingTo: path, configuration: configuration) { client in
            leftovers.watch(client, as: "client \(near.count)")
            let next = ChaosParticipant(plan.parts[near.count], views: try await ChaosView.all(in: client))
            return try await withNearClients(path, near + [next])
        }
    }

    private func withFarClients(_ path: String, _ near: [ChaosParticipant], _ far: [FarClient]) async throws
        -> ChaosResult
    {
        guard far.count < ChaosPlan.farClients else { return try await run(path, near, far) }
        let part = plan.parts[near.count + far.count]
        let configuration = CoordinatorConfiguration.chaosClient(mark: leftovers.mark)
        return try await withCoordinator(hosting: ChaosClientFeature.self, configuration: configuration) {
            coordinator in
            leftovers.watch(coordinator, as: "the coordinator of participant \(part.participant)")
            let next = try await coordinator.viewModel(ChaosClientFeature.self)
            return try await withFarClients(path, near, far + [(part, next)])
        }
    }

    private func run(_ path: String, _ near: [ChaosParticipant], _ far: [FarClient]) async throws -> ChaosResult {
        let descriptors = Leftovers.openDescriptors.count
        try await work(path, near, far)
        let living = far.filter { $0.part.lifetime == nil }
        var records: [ChaosRecord] = []
        var counts = await near[0].end()
        while true {
            for participant in near { await participant.watch(until: counts) }
            records = near.map { $0.record() }
            for client in living { records.append(try await record(of: client, whenShown: counts)) }
            let now = near[0].logs.map(\.count)
            // Events of a killed client may arrive this late.
            guard now != counts else { break }
            counts = now
        }
        let checker = ChaosChecker(
            records: records,
            killed: Set(far.filter { $0.part.lifetime != nil }.map(\.part.participant)),
            logs: near[0].logs
        )
        let left = await leftovers.violations(openBefore: descriptors, standbys: plan.standbys) {
            Set((near[0].processes + living.map { $0.viewModel.hostStatus.serving?.processID }).compactMap(\.self))
        }
        let spared = near[0].incarnations[ChaosLog.second.rawValue]
        let notice = spared == 1 ? [] : ["the worker of the spared feature is in incarnation \(spared ?? 0)"]
        let ends = records.flatMap { $0.sent.map { ($0.end.name, 1) } }
        return ChaosResult(
            violations: checker.violations() + notice + left,
            ends: Dictionary(ends, uniquingKeysWith: +),
            late: records.reduce(0) { $0 + $1.sent.count(where: \.wasLate) },
            waited: records.map(\.waited).max() ?? .zero
        )
    }

    /// Waits until all participants have sent their events and these have ended.
    private func work(_ path: String, _ near: [ChaosParticipant], _ far: [FarClient]) async throws {
        try await withThrowingTaskGroup { group in
            for participant in near { group.addTask { await participant.work() } }
            for client in far {
                let event = client.viewModel.sendViewEvent(.work(path: path, client.part))
                group.addTask { try await finish(event, of: client.part) }
            }
            try await group.waitForAll()
        }
    }

    private func record(of client: FarClient, whenShown counts: [Int]) async throws -> ChaosRecord {
        try await finish(client.viewModel.sendViewEvent(.watch(until: counts)), of: client.part)
        guard let record = client.viewModel.viewState else {
            throw ChaosError("participant \(client.part.participant) has no record")
        }
        return record
    }

    /// Waits until the process of a participant has done its work.
    ///
    /// - Throws: ``ChaosError`` if it does not do its work, or if a participant that should kill itself does it.
    private func finish(_ event: EventTask, of part: ChaosParticipant.Part) async throws {
        let ended = OneShot<EventOutcome>()
        event.onCompletion { ended.complete($0) }
        // Some events are awaited while others are sent, and all of them at the end.
        await ended.wait(atMost: part.patience * (ChaosStallDetector.maximumPatience + 2))
        let end = ChaosRecord.End(event.outcome)
        guard end == (part.lifetime == nil ? .finished : .interrupted) else {
            throw ChaosError("the work of participant \(part.participant) \(end.name), which was not expected")
        }
    }
}
