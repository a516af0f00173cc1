import LatticeConcurrency
import LatticeHosting
import LatticeSession

/// What each of many clients has got: every state, in order, whole.
final class DeliveryCount: Sendable {
    fileprivate struct Core {
        /// The newest number of each client.
        var newest: [Int]
        /// How many clients have got each number.
        var reached: [Int] = []
        /// What all have got.
        var everybody = BroadcastState.firstNumber - 1
        var waiting: [(number: Int, isReached: OneShot<Result<Void, any Error>>)] = []
        var failure: BenchError?
    }

    private let core: Locked<Core>

    init(clients: Int) {
        core = Locked(Core(newest: Array(repeating: BroadcastState.firstNumber - 1, count: clients)))
    }

    func receive(_ delivery: inout Delivery<BroadcastState>, client: Int) {
        let state = delivery.decodeState()
        let news = delivery.news
        let due = core.withLock { core -> [OneShot<Result<Void, any Error>>]? in
            if let end = news.end {
                core.failure = core.failure ?? BenchError("the channel of client \(client) was closed: \(end.reason)")
            }
            if let state { core.take(state, client: client) }
            return core.takeDue()
        }
        guard let due else { return }
        let failure = core.withLock(\.failure)
        for oneShot in due { oneShot.complete(failure.map { .failure($0) } ?? .success(())) }
    }

    /// - Throws: `BenchError` if a client missed a state or lost its connection.
    func whenAll(have number: Int) async throws {
        let isReached = OneShot<Result<Void, any Error>>()
        let isDone = try core.withLock { core in
            if let failure = core.failure { throw failure }
            guard core.everybody < number else { return true }
            core.waiting.append((number, isReached))
            return false
        }
        if !isDone { try await isReached.value.get() }
    }
}

extension DeliveryCount.Core {
    fileprivate mutating func take(_ state: BroadcastState, client: Int) {
        let number = state.number
        guard number == newest[client] + 1, state.isWhole else {
            let kind = state.isWhole ? "" : ", which is not whole,"
            failure = failure ?? BenchError("client \(client) got \(number)\(kind) after \(newest[client])")
            return
        }
        newest[client] = number
        let index = number - BroadcastState.firstNumber
        if index == reached.count { reached.append(0) }
        reached[index] += 1
        if reached[index] == newest.count { everybody = number }
    }

    /// Takes those who need not wait any more.
    fileprivate mutating func takeDue() -> [OneShot<Result<Void, any Error>>]? {
        guard let first = waiting.first, failure != nil || first.number <= everybody else { return nil }
        let isFailed = failure != nil
        let due = waiting.filter { isFailed || $0.number <= everybody }.map(\.isReached)
        waiting.removeAll { isFailed || $0.number <= everybody }
        return due
    }
}
