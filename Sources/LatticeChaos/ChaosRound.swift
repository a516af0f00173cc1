import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeFaults
import Logging

/// A coordinator with workers and clients, which send, cancel and watch by chance while things go wrong by plan; then
/// what has to hold is checked.
@MainActor struct ChaosRound {
    struct Result {
        /// The promises that were broken, each in a sentence.
        var violations: [String]
        /// How many events ended how.
        var ends: [String: Int] = [:]
        /// How many faults have happened.
        var faults = 0
    }

    let plan: ChaosPlan
    /// An empty one, for the socket.
    let folder: String

    /// - Throws: What keeps a round from being run at all.
    func run() async throws -> Result {
        let leftovers = Leftovers(folder: folder)
        var result = try await withFaults(leftovers)
        result.violations += await leftovers.violations()
        return result
    }

    private func withFaults(_ leftovers: Leftovers) async throws -> Result {
        let path = "\(folder)/chaos.sock"
        var configuration = CoordinatorConfiguration.chaos
        let records = [
            configuration.inject(plan.workers, into: .workers), configuration.inject(plan.clients, into: .clients),
        ]
        var result = try await withCoordinator(
            hosting: ChaosFeature<FirstChaos>.self,
            ChaosFeature<SecondChaos>.self,
            listeningAt: path,
            configuration: configuration
        ) { coordinator in
            leftovers.watch(coordinator, as: "the coordinator")
            let first = ChaosParticipant(plan.parts[0], views: try await ChaosView.all(in: coordinator))
            return try await withNearClients(path, leftovers, [first])
        }
        result.faults = records.reduce(0) { $0 + $1.struck.count }
        return result
    }

    private func withNearClients(
        _ path: String,
        _ leftovers: Leftovers,
        _ near: [ChaosParticipant]
    ) async throws -> Result {
        guard near.count <= ChaosPlan.nearClients else { return try await withFarClients(path, leftovers, near, []) }
        return try await withClient(connectingTo: path, configuration: .chaos) { client in
            leftovers.watch(client, as: "client \(near.count)")
            let next = ChaosParticipant(plan.parts[near.count], views: try await ChaosView.all(in: client))
            return try await withNearClients(path, leftovers, near + [next])
        }
    }

    private func withFarClients(
        _ path: String,
        _ leftovers: Leftovers,
        _ near: [ChaosParticipant],
        _ far: [ViewModel<ChaosClientFeature>]
    ) async throws -> Result {
        guard far.count < ChaosPlan.farClients else { return try await run(path, near, far) }
        return try await withCoordinator(hosting: ChaosClientFeature.self, configuration: .chaosClient) { coordinator in
            leftovers.watch(coordinator, as: "the coordinator of client \(near.count + far.count)")
            let next = try await coordinator.viewModel(ChaosClientFeature.self)
            return try await withFarClients(path, leftovers, near, far + [next])
        }
    }

    private func run(
        _ path: String,
        _ near: [ChaosParticipant],
        _ far: [ViewModel<ChaosClientFeature>]
    ) async throws -> Result {
        let farParts = Array(zip(far, plan.parts[near.count...]))
        await withTaskGroup { group in
            for participant in near { group.addTask { await participant.work() } }
            for (viewModel, part) in farParts {
                group.addTask { _ = await viewModel.sendViewEvent(.work(path: path, part)).finish() as EventOutcome }
            }
        }
        let living = farParts.filter { $0.1.lifetime == nil }.map(\.0)
        var records: [ChaosRecord] = []
        var counts = await near[0].end()
        while true {
            for participant in near { await participant.watch(until: counts) }
            records = near.map { $0.record() }
            for viewModel in living { records.append(try await viewModel.record(whenShown: counts)) }
            let now = near[0].logs.map(\.count)
            // What a client has sent that was killed may come this late.
            guard now != counts else { break }
            counts = now
        }
        let checker = ChaosChecker(
            records: records,
            killed: Set(plan.parts.filter { $0.lifetime != nil }.map(\.participant)),
            logs: near[0].logs
        )
        let ends = records.flatMap { $0.sent.map { ($0.end.name, 1) } }
        return Result(violations: checker.violations(), ends: Dictionary(ends, uniquingKeysWith: +))
    }
}

extension ViewModel<ChaosClientFeature> {
    fileprivate func record(whenShown counts: [Int]) async throws -> ChaosRecord {
        let outcome: EventOutcome = await sendViewEvent(.watch(until: counts)).finish()
        guard outcome == .finished, let viewState else {
            throw ChaosError("a client's process does not answer: its event is \(outcome)")
        }
        return viewState
    }
}

extension CoordinatorConfiguration {
    /// Starts workers again for ever, at once, and waits for nobody for long.
    fileprivate static var chaos: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.restart.initialDelay = .zero
        configuration.restart.maximumDelay = .milliseconds(10)
        configuration.restart.intensity = .max
        configuration.restart.shortLives = .max
        configuration.restart.bootIntensity = .max
        configuration.restart.bootLimit = .milliseconds(500)
        configuration.teardownLimit = .milliseconds(200)
        // What a client has left running that was killed does not end by itself.
        configuration.drainLimit = .milliseconds(200)
        configuration.workerEnvironment[Leftovers.variable] = Leftovers.mark
        return configuration
    }

    /// Starts a client's process, once.
    fileprivate static var chaosClient: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.restart.kind = .temporary
        configuration.workerEnvironment[Leftovers.variable] = Leftovers.mark
        return configuration
    }
}
