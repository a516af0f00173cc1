import ByteTestSupport
import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests how much one client can affect another, with a worker process and clients over sockets.
@MainActor @Suite(.timeLimit(.minutes(10)), .serialized) struct FairnessTests {
    /// The number of events that the other client sends, one after the other.
    private static let events = 50

    @Test("While one client floods, all events of another client end, and so does the flood (F84)")
    func aFlood() async throws {
        try await withClients { one, other, _ in
            let rounds = Repetitions.count(Self.events)
            let flood = try await one.viewModel(UnrulyFeature.self)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            for _ in 0..<rounds {
                let burst = (0..<2000).map { _ in flood.sendViewEvent(.add(1)) }
                #expect(await viewModel.sendViewEvent(.add(0)).finish() == .finished)
                for event in burst { #expect(await event.finish() == .finished) }
            }
            #expect(flood.viewState == 2000 * rounds)
        }
    }

    @Test("While one client has its maximum of running effects, another client and the program start theirs (F83)")
    func allEffects() async throws {
        try await withClients { one, other, coordinator in
            let greedy = try await one.viewModel(UnrulyFeature.self)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            let running = (0..<2000).map { _ in greedy.sendViewEvent(.addAndWait(1)) }
            #expect(await greedy.sendViewEvent(.add(1)).finish() == .rejected(.overloaded))
            for _ in 0..<Self.events {
                #expect(await viewModel.sendViewEvent(.addLater(1)).finish() == .finished)
            }
            let own = try await coordinator.viewModel(UnrulyFeature.self)
            #expect(await own.sendViewEvent(.add(1)).finish() == .finished)
            // The clients take turns, so some of these events can have waited until now.
            try await poll { greedy.viewState == 2000 + Self.events + 1 }
            for event in running { event.cancel() }
            let outcomes = await Self.outcomes(of: running)
            #expect(outcomes == ["cancelled by its sender while it ran": 2000])
            #expect(await greedy.sendViewEvent(.add(1)).finish() == .finished)
        }
    }

    /// Returns the number of events with each outcome.
    private static func outcomes(of events: [EventTask]) async -> [String: Int] {
        var outcomes: [String: Int] = [:]
        for event in events { outcomes["\(await event.finish() as EventOutcome)", default: 0] += 1 }
        return outcomes
    }

    @Test("One client opens channels until it is refused, and another client still opens its own (F83)")
    func allChannels() async throws {
        try await withClients { one, other, _ in
            var viewModels: [ViewModel<UnrulyFeature>] = []
            let error = await #expect(throws: ClientError.self) {
                while viewModels.count < 1000 { viewModels.append(try await one.viewModel(UnrulyFeature.self)) }
            }
            #expect(error?.code == .tooMany)
            #expect(error?.message.contains("at most 64 channels") == true, "\(error?.message ?? "")")
            #expect(viewModels.count == 64)
            let viewModel = try await other.viewModel(UnrulyFeature.self)
            for _ in 0..<Self.events {
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            }
        }
    }

    @Test("While one program connects, sends and leaves in a loop, all events of another program end (F84)")
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
