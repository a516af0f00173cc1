import LatticeConcurrency
import LatticeHosting
import LatticeSession

/// What each of the clients of one reactor has got: every state, in order, whole.
final class DeliveryCount: Sendable {
    fileprivate struct Core {
        /// The newest number of each client.
        var newest: [Int]
        /// How many clients have got each number.
        var reached: [Int] = []
        /// What all have got.
        var everybody = NumberedBytes.firstNumber - 1
        var waiting: [(number: Int, isReached: OneShot<BenchError?>)] = []
        var failure: BenchError?
        /// How long deliveries took; nil unless somebody asks for that.
        var latencies: Latencies?
    }

    private let clients: [Int]
    private let core: Locked<Core>

    /// - Parameter clients: Their names.
    init(of clients: [Int]) {
        self.clients = clients
        core = Locked(Core(newest: clients.map { _ in NumberedBytes.firstNumber - 1 }))
    }

    /// - Parameter place: Of the client among those that are counted here.
    func receive(_ delivery: Delivery<NumberedBytes>, at place: Int) {
        let state = delivery.decodeState()
        let news = delivery.news
        let (due, failure) = core.withLock { core in
            if let end = news.end {
                let name = clients[place]
                core.failure = core.failure ?? BenchError("the channel of client \(name) was closed: \(end.reason)")
            }
            if let state { core.take(state, at: place, of: clients) }
            return (core.takeDue(), core.failure)
        }
        for oneShot in due { oneShot.complete(failure) }
    }

    /// How long deliveries took since the last call; before the first one nobody looks.
    func takeLatencies() -> Latencies {
        core.withLock { core in
            defer { core.latencies = Latencies() }
            return core.latencies ?? Latencies()
        }
    }

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
            let kind = isWhole ? "" : ", which is not whole,"
            failure = failure ?? BenchError("client \(clients[place]) got \(number)\(kind) after \(newest[place])")
            return
        }
        if latencies != nil {
            latencies?.record(.nanoseconds(Int64(ProcessFigures.sharedTime) - Int64(state.time)))
        }
        newest[place] = number
        let index = number - NumberedBytes.firstNumber
        if index == reached.count { reached.append(0) }
        reached[index] += 1
        if reached[index] == newest.count { everybody = number }
    }

    /// Takes those who need not wait any more.
    fileprivate mutating func takeDue() -> [OneShot<BenchError?>] {
        let number = failure == nil ? everybody : .max
        guard waiting.contains(where: { $0.number <= number }) else { return [] }
        defer { waiting.removeAll { $0.number <= number } }
        return waiting.filter { $0.number <= number }.map(\.isReached)
    }
}
