import LatticeClient
import LatticeCore

/// A participant in a process of its own. It is a feature in a worker, so that the process is started, spoken to and
/// ended by the runtime.
enum ChaosClientFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator, and ends when every event has ended.
        case work(path: String, ChaosParticipant.Part)
        /// Ends when so many events of each log are shown; the answer is the record.
        case watch(until: [Int])
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

/// The client of such a process.
@MainActor private final class ChaosClient {
    private var client: Client?
    private var participant: ChaosParticipant?

    nonisolated init() {}

    func answer(_ action: ChaosClientFeature.Action) async throws -> ChaosRecord? {
        switch action {
        case .work(let path, let part):
            let client = try Client(connectingTo: path, configuration: .chaos)
            try await client.connect()
            self.client = client
            let participant = ChaosParticipant(part, views: try await ChaosView.all(in: client))
            self.participant = participant
            await participant.work()
        case .watch(let counts):
            await participant?.watch(until: counts)
            return participant?.record()
        case .answered: break
        }
        return nil
    }
}

extension ClientConfiguration {
    /// Connects again at once.
    static var chaos: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.reconnect.initialDelay = .milliseconds(1)
        configuration.reconnect.maximumDelay = .milliseconds(50)
        return configuration
    }
}
