import LatticeClient
import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// Many clients on two reactors, since a process of many clients may use more than one core as well.
final class SubscriberPool: Sendable {
    private static let reactors = 2

    private let connected = Locked<(clients: [Client], deliveries: DeliveryCount)?>(nil)

    /// Returns when each client has its first state.
    func connect(_ count: Int, to path: String) async throws {
        let reactors = try (1...Self.reactors).map { try Reactor.start(name: "subscribers \($0)") }
        let deliveries = DeliveryCount(clients: count)
        var clients: [Client] = []
        for index in 0..<count {
            let reactor = reactors[index % reactors.count]
            let client = try Client(connectingTo: path, configuration: ClientConfiguration(), reactor: reactor)
            clients.append(client)
            try await client.connect()
            _ = client.openChannel(BroadcastFeature.self, deliversEveryState: true) { delivery in
                deliveries.receive(&delivery, client: index)
            }
        }
        connected.withLock { [clients] in $0 = (clients, deliveries) }
        try await deliveries.whenAll(have: NumberedBytes.firstNumber)
    }

    /// Returns when each client has got all states up to this one.
    func whenAll(have number: Int) async throws {
        try await deliveries.whenAll(have: number)
    }

    /// How long deliveries to all of them took since the last call.
    func takeTimes() throws -> Comparison.Times { try deliveries.takeTimes() }

    private var deliveries: DeliveryCount {
        get throws {
            guard let deliveries = connected.withLock({ $0?.deliveries }) else {
                throw BenchError("no client is connected")
            }
            return deliveries
        }
    }
}
