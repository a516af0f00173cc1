import LatticeClient
import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// Many clients on two reactors, since a process of many clients may use more than one core as well.
final class SubscriberPool: Sendable {
    private static let reactors = 2

    // Counted apart for each reactor: with one count its lock was a fifth of what the clients' process took.
    private let connected = Locked<(clients: [Client], deliveries: [DeliveryCount])?>(nil)

    /// Returns when each client has its first state.
    func connect(_ count: Int, to path: String) async throws {
        let reactors = try (1...Self.reactors).map { try Reactor.start(name: "subscribers \($0)") }
        var clients: [Client] = []
        var deliveries: [DeliveryCount] = []
        for (first, reactor) in reactors.prefix(count).enumerated() {
            let numbers = Array(stride(from: first, to: count, by: reactors.count))
            let delivered = DeliveryCount(of: numbers)
            deliveries.append(delivered)
            for place in numbers.indices {
                let client = try Client(connectingTo: path, configuration: ClientConfiguration(), reactor: reactor)
                clients.append(client)
                try await client.connect()
                _ = client.openChannel(BroadcastFeature.self, deliversEveryState: true) { delivery in
                    delivered.receive(delivery, at: place)
                }
            }
        }
        connected.withLock { [clients, deliveries] in $0 = (clients, deliveries) }
        try await whenAll(have: NumberedBytes.firstNumber)
    }

    /// Returns when each client has got all states up to this one.
    func whenAll(have number: Int) async throws {
        for delivered in try deliveries { try await delivered.whenAll(have: number) }
    }

    /// How long deliveries to all of them took since the last call.
    func takeTimes() throws -> Comparison.Times {
        var all = Latencies()
        for delivered in try deliveries { all.add(delivered.takeLatencies()) }
        return all.times
    }

    private var deliveries: [DeliveryCount] {
        get throws {
            guard let deliveries = connected.withLock({ $0?.deliveries }) else {
                throw BenchError("no client is connected")
            }
            return deliveries
        }
    }
}
