import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// What one client can cost another one, with a worker in a process of its own and clients over sockets.
@MainActor @Suite(.timeLimit(.minutes(3)), .serialized) struct FairnessTests {
    /// How many events the other client sends, one after the other.
    private static let events = 50

    @Test("F84: while one client floods, each event of another ends, and so does the flood")
    func aFlood() async throws {
        try await withClients { one, other, _ in
            let flood = try await one.viewModel(UnrulyFeature.self)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            for _ in 0..<Self.events {
                let burst = (0..<2000).map { _ in flood.sendViewEvent(.add(1)) }
                #expect(await viewModel.sendViewEvent(.add(0)).finish() == .finished)
                for event in burst { #expect(await event.finish() == .finished) }
            }
            #expect(flood.viewState == 2000 * Self.events)
        }
    }

    @Test("F83: while one client has as many effects as it may have, another one has its own, and the program too")
    func allEffects() async throws {
        try await withClients { one, other, coordinator in
            let greedy = try await one.viewModel(UnrulyFeature.self)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            let running = (0..<2000).map { _ in greedy.sendViewEvent(.wait) }
            #expect(await greedy.sendViewEvent(.add(1)).finish() == .rejected(.overloaded))
            for _ in 0..<Self.events {
                #expect(await viewModel.sendViewEvent(.addLater(1)).finish() == .finished)
            }
            let own = try await coordinator.viewModel(UnrulyFeature.self)
            #expect(await own.sendViewEvent(.add(1)).finish() == .finished)
            for event in running { event.cancel() }
            let outcomes = await Self.outcomes(of: running)
            #expect(outcomes == ["cancelled": 2000])
            #expect(await greedy.sendViewEvent(.add(1)).finish() == .finished)
        }
    }

    /// How many ended in each way.
    private static func outcomes(of events: [EventTask]) async -> [String: Int] {
        var outcomes: [String: Int] = [:]
        for event in events { outcomes["\(await event.finish() as EventOutcome)", default: 0] += 1 }
        return outcomes
    }

    @Test("F83: one client opens channels until it is refused, and another opens its own")
    func allChannels() async throws {
        try await withClients { one, other, _ in
            var viewModels: [ViewModel<UnrulyFeature>] = []
            let error = await #expect(throws: ClientError.self) {
                while viewModels.count < 1000 { viewModels.append(try await one.viewModel(UnrulyFeature.self)) }
            }
            #expect(error?.message.hasSuffix("close some, or use one for all") == true, "\(error?.message ?? "")")
            #expect(viewModels.count == 64)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            for _ in 0..<Self.events {
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            }
        }
    }

    @Test("F84: while one program connects, sends and leaves in a loop, another's events all end")
    func reconnecting() async throws {
        try await withClients { _, other, coordinator in
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            let path = try #require(coordinator.socketPath)
            let isDone = Locked(false)
            let loops = (0..<4).map { _ in
                Task { @MainActor in
                    var rounds = 0
                    while !isDone.withLock(\.self) {
                        try await withClient(connectingTo: path) { client in
                            let viewModel = try await client.viewModel(UnrulyFeature.self)
                            for _ in 0..<10 { viewModel.sendViewEvent(.wait) }
                        }
                        rounds += 1
                    }
                    return rounds
                }
            }
            for _ in 0..<Self.events {
                #expect(await viewModel.sendViewEvent(.addLater(1)).finish() == .finished)
            }
            isDone.withLock { $0 = true }
            for loop in loops { #expect(try await loop.value > 0) }
            #expect(viewModel.viewState == Self.events)
        }
    }

    private func withClients(
        _ body: @MainActor (_ one: Client, _ other: Client, Coordinator) async throws -> Void
    ) async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.maximumEventsPerClient = 2000
            try await withCoordinator(
                hosting: UnrulyFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await withClient(connectingTo: path) { one in
                    try await withClient(connectingTo: path) { other in try await body(one, other, coordinator) }
                }
            }
        }
    }
}
