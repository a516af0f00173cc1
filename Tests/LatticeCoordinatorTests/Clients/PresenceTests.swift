import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

/// A feature that shows who is there, and everything that changed.
private enum RoomFeature: PresenceFeature {
    enum Action: Codable, Sendable {
        case present([String], changes: [String])
        case say(String)
    }

    struct Room: Codable, Sendable, Equatable {
        var names: [String] = []
        /// What happened, in order.
        var history: [String] = []
        /// The number of presence actions that a client sent itself.
        var forged = 0
    }

    static let identifier = "room"
    static func initialDomainState(in context: HostContext) -> Room { Room() }

    static func action(for presence: Presence, in state: Room) -> Action? {
        .present(
            presence.clients.map(Self.name),
            changes: presence.changes.map { change in
                switch change {
                case .joined(let client): "+\(Self.name(client))"
                case .left(let client): "-\(Self.name(client))"
                case .lost(let client): "!\(Self.name(client))"
                }
            }
        )
    }

    static func interactor(in context: HostContext) -> Interact<Room, Action> {
        Interact { room, action in
            switch action {
            case .present(let names, let changes):
                if case .client? = EventContext.current?.sender {
                    room.forged += 1
                } else {
                    room.names = names
                    room.history += changes
                }
            case .say(let text): room.history.append(text)
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<Room, Room> {
        BuildViewState(initial: { $0 }) { room, shown in shown = room }
    }

    /// The last digits of the identity, which is enough to tell clients apart.
    private static func name(_ client: RuntimeEvent.Client) -> String { String(client.sender.suffix(2)) }
}

/// Tests that clients of a feature see who else is there.
@Suite(.timeLimit(.minutes(10)))
struct PresenceTests {
    private func withBench(_ body: (CoordinatorBench) async throws -> Void) async throws {
        try await CoordinatorBench.with(hosting: [RoomFeature.self], body)
    }

    @MainActor private func until(
        _ viewModel: ViewModel<RoomFeature>,
        _ condition: @escaping (RoomFeature.Room) -> Bool
    ) async throws {
        for await room in viewModel.viewStates where condition(room) { return }
        throw CancellationError()
    }

    @Test("Joins, leaves and deaths are seen once each, in the order of the states")
    func sequence() async throws {
        try await withBench { bench in
            bench.startWorker()
            let (one, two) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            try await one.connect()
            let shown = try await one.viewModel(RoomFeature.self)
            try await until(shown) { $0.names == ["01"] }
            try await two.connect()
            let other = try await two.viewModel(RoomFeature.self)
            try await until(shown) { $0.names == ["01", "02"] }
            // A second channel of the same client is not another client.
            _ = try await two.viewModel(RoomFeature.self)
            #expect(await other.sendViewEvent(.say("hello")).finish() == .finished)
            try await two.disconnect()
            try await until(shown) { $0.names == ["01"] }
            // It comes back, and leaves with a goodbye.
            try await two.connect()
            try await until(shown) { $0.names == ["01", "02"] }
            two.session?.end()
            try await until(shown) { $0.names == ["01"] }
            #expect(await shown.viewState.history == ["+01", "+02", "hello", "!02", "+02", "-02"])
        }
    }

    @Test("A client that claims who is there is recognised")
    func forged() async throws {
        try await withBench { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            try await client.connect()
            let shown = try await client.viewModel(RoomFeature.self)
            try await until(shown) { $0.names == ["01"] }
            #expect(await shown.sendViewEvent(.present(["07"], changes: ["+07"])).finish() == .finished)
            #expect(await shown.viewState.forged == 1)
            #expect(await shown.viewState.names == ["01"])
        }
    }

    @Test("Of many clients that connect, half are lost at once, and the others see exactly who is left")
    func many() async throws {
        try await withBench { bench in
            bench.startWorker()
            let clients = (1...40).map { bench.makeClient(identity: $0) }
            var viewModels: [ViewModel<RoomFeature>] = []
            for client in clients {
                try await client.connect()
                viewModels.append(try await client.viewModel(RoomFeature.self))
            }
            for viewModel in viewModels { try await until(viewModel) { $0.names.count == 40 } }
            for client in clients[..<20] { client.session?.connection.close() }
            for viewModel in viewModels[20...] { try await until(viewModel) { $0.names.count == 20 } }
            let history = await viewModels[39].viewState.history
            #expect(history.count == 60)
            #expect(Set(history).count == 60)
        }
    }

    @Test("A join that the worker cannot accept now is reported when the next one serves")
    func withoutAWorker() async throws {
        try await withBench { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            try await client.connect()
            let shown = try await client.viewModel(RoomFeature.self)
            try await until(shown) { $0.names == ["01"] }
            try await bench.killWorker()
            let other = bench.makeClient(identity: 2)
            try await other.connect()
            async let late = other.viewModel(RoomFeature.self)
            try await client.disconnect()
            bench.startWorker()
            let seen = try await late
            try await until(seen) { $0.names == ["02"] }
            #expect(await seen.viewState.history.sorted() == ["!01", "+01", "+02"])
        }
    }
}
