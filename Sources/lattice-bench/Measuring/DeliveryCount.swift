import LatticeConcurrency
import LatticeHosting
import LatticeSession

/// Counts the states that the clients of one reactor have received, and checks that each is complete and in order.
final class DeliveryCount: Sendable {
    fileprivate struct Core {
        /// The newest number that each client has received.
        var newest: [Int]
        /// The number of clients that have received each state.
        var reached: [Int] = []
        /// The newest number that all clients have received.
        var reachedByAll = NumberedBytes.firstNumber - 1
        var waiting: [(number: Int, isReached: OneShot<BenchError?>)] = []
        var failure: BenchError?
        /// The latencies of deliveries, or nil if they are not measured.
        var latencies: Latencies?
    }

    private let clients: [Int]
    private let core: Locked<Core>

    /// Creates a count.
    ///
    /// - Parameter clients: The numbers of the clients, for messages.
    init(of clients: [Int]) {
        self.clients = clients
        core = Locked(Core(newest: clients.map { _ in NumberedBytes.firstNumber - 1 }))
    }

    /// Takes a delivery to a client.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - place: The index of the client in the list of clients.
    func receive(_ delivery: Delivery<NumberedBytes>, at place: Int) {
        let state = delivery.decodeState()
        let update = delivery.channelUpdate
        let (due, failure) = core.withLock { core in
            if let end = update.end {
                let name = clients[place]
                core.failure = core.failure ?? BenchError("the channel of client \(name) was closed: \(end.reason)")
            }
            if let state { core.take(state, at: place, of: clients) }
            return (core.takeDue(), core.failure)
        }
        for oneShot in due { oneShot.complete(failure) }
    }

    /// Returns the latencies of deliveries since the last call. The first call starts the measurement.
    func takeLatencies() -> Latencies {
        core.withLock { core in
            defer { core.latencies = Latencies() }
            return core.latencies ?? Latencies()
        }
    }

    /// Waits until all clients have received the state with a number.
    ///
    /// - Throws: `BenchError` if a client missed a state or lost its connection.
    func whenAll(have number: Int) async throws {
        let isReached = OneShot<BenchError?>()
        let due = core.withLock { core in
            core.waiting.append((number, isReached))
            return (core.takeDue(), core.failure)
        }
        for oneShot in due.0 { oneShot.complete(due.1) }
        if let failure = try await isReached.value { throw failure }
    }
}

extension DeliveryCount.Core {
    fileprivate mutating func take(_ state: NumberedBytes, at place: Int, of clients: [Int]) {
        let (number, isWhole) = (state.number, state.isWhole(BroadcastFeature.size))
        guard number == newest[place] + 1, isWhole else {
            let kind = isWhole ? "" : ", which is incomplete,"
            failure =
                failure
                ?? BenchError(
                    "client \(clients[place]) received state \(number)\(kind) after \(newest[place])"
                )
            return
        }
        if latencies != nil {
            latencies?.record(.nanoseconds(Int64(ProcessFigures.sharedTime) - Int64(state.time)))
        }
        newest[place] = number
        let index = number - NumberedBytes.firstNumber
        if index == reached.count { reached.append(0) }
        reached[index] += 1
        if reached[index] == newest.count { reachedByAll = number }
    }

    /// Removes and returns the waiters that need not wait any more.
    fileprivate mutating func takeDue() -> [OneShot<BenchError?>] {
        let number = failure == nil ? reachedByAll : .max
        guard waiting.contains(where: { $0.number <= number }) else { return [] }
        defer { waiting.removeAll { $0.number <= number } }
        return waiting.filter { $0.number <= number }.map(\.isReached)
    }
}
