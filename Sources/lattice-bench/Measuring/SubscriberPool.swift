import LatticeClient
import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// Many clients on two reactors, because a process with many clients may also use more than one core.
final class SubscriberPool: Sendable {
    private static let reactors = 2

    // Each reactor has its own count. With a shared one, its lock took a fifth of the time of the clients' process.
    private let connected = Locked<(clients: [Client], deliveries: [DeliveryCount])?>(nil)

    /// Connects clients, and returns when each has received its first state.
    func connect(_ count: Int, to path: String) async throws {
        let reactors = try (1...Self.reactors).map { try Reactor.start(name: "subscribers \($0)") }
        var clients: [Client] = []
        var deliveries: [DeliveryCount] = []
        for (first, reactor) in reactors.prefix(count).enumerated() {
            let numbers = Array(stride(from: first, to: count, by: reactors.count))
            let delivered = DeliveryCount(of: numbers)
            deliveries.append(delivered)
            for place in numbers.indices {
                let client = try Client(connectingTo: path, configuration: .bench, reactor: reactor)
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

    /// Waits until each client has received all states up to the one with a number.
    func whenAll(have number: Int) async throws {
        for delivered in try deliveries { try await delivered.whenAll(have: number) }
    }

    /// Returns the times of the deliveries to all clients since the last call.
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
