import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Observation

/// A client in its own process, and what it sees of a coordinator.
@MainActor final class ClientObserver {
    private var client: Client?
    private var cards: ViewModel<CardsFeature>?
    private var keyed: ViewModel<KeyedFeature>?
    private let turns = MainActorWatch()
    /// The latest time at which each card became the first one.
    private var firsts: [Int: UInt64] = [:]
    private var awaited: (id: Int, isSeen: OneShot<UInt64>)?

    nonisolated init() {}

    func answer(_ action: ObserverFeature.Action) async throws -> [UInt64] {
        switch action {
        case .showCards(let path): try await showCards(path)
        case .whenFirst(let id): return [try await whenFirst(id)]
        case .longestTurn: return [turns.takeLongest()]
        case .showKeyed(let path, let size):
            keyed = try await connect(path).viewModel(KeyedFeature.self, instance: size.rawValue)
        case .countBytes: return [UInt64(ProcessFigures.bytesReceived ?? 0)]
        case .cancelWhileOpening(let path, let rounds): return try await cancel(path, rounds)
        case .answered: break
        }
        return []
    }

    private func connect(_ path: String) async throws -> Client {
        let client = try Client(connectingTo: path, configuration: .bench)
        try await client.connect()
        self.client = client
        return client
    }

    // MARK: Cards

    private func showCards(_ path: String) async throws {
        let cards = try await connect(path).viewModel(CardsFeature.self)
        self.cards = cards
        turns.start()
        // This task runs as long as the process.
        Task { for await first in Observations({ cards.cards.first?.id }) { note(first) } }
    }

    private func note(_ first: Int?) {
        guard let first else { return }
        let time = ProcessFigures.sharedTime
        firsts[first] = time
        guard let awaited, awaited.id == first else { return }
        self.awaited = nil
        awaited.isSeen.complete(time)
    }

    /// Returns the time at which a card became the first one, which may already have happened.
    private func whenFirst(_ id: Int) async throws -> UInt64 {
        if let time = firsts.removeValue(forKey: id) { return time }
        let isSeen = OneShot<UInt64>()
        awaited = (id, isSeen)
        let time = try await isSeen.value
        firsts[id] = nil
        return time
    }

    // MARK: Cancelling

    private func cancel(_ path: String, _ rounds: Int) async throws -> [UInt64] {
        let client = try await connect(path)
        let hold = try await client.viewModel(HoldFeature.self)
        var times: [UInt64] = []
        for _ in 0..<rounds {
            var isOpen = false
            let opening = Task {
                defer { isOpen = true }
                return try await client.viewModel(KeyedFeature.self, instance: KeyedSize.snapshot.rawValue)
            }
            while !isOpen { times.append(try await cancelOne(hold)) }
            guard try await opening.value.viewState.rows.count == KeyedSize.snapshot.elements else {
                throw BenchError("the large view state is not whole")
            }
        }
        return times
    }

    /// Returns the time from cancelling a running effect until it has ended.
    private func cancelOne(_ hold: ViewModel<HoldFeature>) async throws -> UInt64 {
        let number = hold.viewState + 1
        let event = hold.sendViewEvent(.hold(number))
        for await running in hold.viewStates where running == number { break }
        let start = ProcessFigures.sharedTime
        event.cancel()
        let outcome = await event.finish()
        guard outcome == .cancelled else { throw BenchError("effect \(number) ended \(outcome), not cancelled") }
        return ProcessFigures.sharedTime - start
    }
}

typealias ObserverProcesses = ClientProcesses<ObserverFeature>

/// Runs clients in their own processes.
enum ClientProcesses<Feature: HostedFeature> {
    @MainActor static func with<Result>(
        _ count: Int,
        besides others: [ViewModel<Feature>] = [],
        _ body: @MainActor ([ViewModel<Feature>]) async throws -> Result
    ) async throws -> Result {
        guard others.count < count else { return try await body(others) }
        return try await withCoordinator(hosting: Feature.self, configuration: .bench) { coordinator in
            let observer = try await coordinator.viewModel(Feature.self)
            return try await with(count, besides: others + [observer], body)
        }
    }
}
