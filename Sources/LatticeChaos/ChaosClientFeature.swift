import LatticeActors
import LatticeClient
import LatticeConcurrency
import LatticeCore
import LatticeJobs

/// A participant in its own process. It is a feature in a worker, so that the runtime starts the process, talks to it
/// and ends it.
enum ChaosClientFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator, and ends when every event has ended.
        case work(path: String, ChaosParticipant.Part)
        /// Connects to a coordinator and calls actors. The process is killed meanwhile.
        case call(path: String, CallPart)
        /// Connects to a coordinator and runs jobs. The process is killed meanwhile.
        case runJobs(path: String, JobPart)
        /// Ends when each log shows the given number of events. The answer is the record.
        case watch(until: [Int])
        /// The result of an action.
        case answered(ChaosRecord?)
    }

    static let identifier = "chaos-client"
    static func initialDomainState(in context: HostContext) -> ChaosRecord? { nil }

    static func interactor(in context: HostContext) -> Interact<ChaosRecord?, Action> {
        let client = ChaosClient()
        return Interact { record, action in
            if case .answered(let answer) = action {
                record = answer
                return .none
            }
            return .perform { .answered(try await client.answer(action)) }
        }
    }

    static func reducer() -> BuildViewState<ChaosRecord?, ChaosRecord?> { .asItIs }
}

/// The client of such a process. It is connected as long as the process runs.
@MainActor private final class ChaosClient {
    private let participant = OneShot<Result<ChaosParticipant, any Error>>()

    nonisolated init() {}

    func answer(_ action: ChaosClientFeature.Action) async throws -> ChaosRecord? {
        switch action {
        case .work(let path, let part):
            // The task has no parent and ends with the process.
            Task { await connect(path, part) }
            try await participant.value.get().work()
        case .watch(let counts):
            let participant = try await participant.value.get()
            await participant.watch(until: counts)
            return participant.record()
        case .call(let path, let part):
            try await withClient(connectingTo: path, configuration: .chaos(patience: part.patience)) { client in
                try await CallParticipant(part, at: client.node).work()
            }
        case .runJobs(let path, let part):
            try await withClient(connectingTo: path, configuration: .chaos(patience: part.patience)) { client in
                let system = LatticeActorSystem(client)
                let pool = try await system.jobPool(of: JobRound.group, within: part.patience)
                await JobParticipant(part, in: .client(pool)).work()
            }
        case .answered: break
        }
        return nil
    }

    private func connect(_ path: String, _ part: ChaosParticipant.Part) async {
        do {
            try await withClient(connectingTo: path, configuration: .chaos(patience: part.patience)) { client in
                participant.complete(.success(ChaosParticipant(part, views: try await ChaosView.all(in: client))))
                try await Task.sleep(for: .seconds(86_400))
            }
        } catch {
            participant.complete(.failure(error))
        }
    }
}
