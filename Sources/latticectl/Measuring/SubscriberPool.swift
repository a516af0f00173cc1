import LatticeClient
import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// Many clients on two reactors, since a process of many clients may use more than one core as well.
final class SubscriberPool: Sendable {
    private struct Core {
        var clients: [Client] = []
        var deliveries: DeliveryCount?
    }

    private static let reactors = 2

    private let core = Locked(Core())

    /// Returns when each client has its first state.
    func connect(_ count: Int, to path: String) async throws {
        let reactors = try (1...Self.reactors).map { try Reactor.start(name: "subscribers \($0)") }
        let deliveries = DeliveryCount(clients: count)
        core.withLock { $0.deliveries = deliveries }
        for index in 0..<count {
            let client = try Client(
                connectingTo: path,
                configuration: ClientConfiguration(),
                reactor: reactors[index % reactors.count]
            )
            core.withLock { $0.clients.append(client) }
            try await client.connect()
            _ = client.openChannel(BroadcastFeature.self, deliversEveryState: true) { delivery in
                deliveries.receive(&delivery, client: index)
            }
        }
        try await deliveries.whenAll(have: BroadcastState.firstNumber)
    }

    /// Returns when each client has got all states up to this one.
    func whenAll(have number: Int) async throws {
        guard let deliveries = core.withLock(\.deliveries) else { throw BenchError("no client is connected") }
        try await deliveries.whenAll(have: number)
    }
}
