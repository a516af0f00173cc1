import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeControl
@testable import LatticeCoordinator

/// A tool that watches a feature learns which events each state contains.
@Suite(.timeLimit(.minutes(10)))
struct StateCausesTests {
    private static let patience = Duration.seconds(60)

    /// Opens the journal as a tool that watches it, beside a client that sends events.
    private func watching(
        _ bench: CoordinatorBench,
        _ body: (UntypedFeature, TestClient.Channel) async throws -> Void
    ) async throws {
        bench.startWorker()
        let client = bench.makeClient(identity: 1)
        let channel = client.open(TestClient.Recorder())
        try await client.connect()
        let journal = try UntypedFeature(
            "journal",
            instance: "",
            path: "memory",
            showsCauses: true,
            reactor: bench.reactor
        )
        defer { journal.close() }
        let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        bench.clients.accept(far)
        try await journal.open(over: near, within: Self.patience)
        try await body(journal, channel)
    }

    @Test("A state comes with the events of clients and of the program that it contains, and with no earlier ones")
    func events() async throws {
        try await CoordinatorBench.with { bench in
            try await watching(bench) { journal, channel in
                let host = try await bench.host()
                var seen = try journal.state
                #expect(seen.causes == nil)
                for sender in [{ channel.send(.add(1)) }, { host.channel.send(.add(2)) }, { channel.send(.add(3)) }] {
                    // It changes nothing, so it causes no state.
                    #expect(await channel.send(.nothing).finish() == .finished)
                    let event = sender()
                    #expect(await event.finish() == .finished)
                    seen = try #require(try await journal.state(after: seen.revision, within: Self.patience))
                    let id = try #require(event.id)
                    #expect(seen.causes?.events.map(\.id) == ["\(id)"])
                    #expect(seen.causes?.events.map(\.cause) == ["sent"])
                    #expect(seen.causes?.omitted == 0)
                }
            }
        }
    }

    @Test("A state that an effect made has no event")
    func effects() async throws {
        try await CoordinatorBench.with { bench in
            try await watching(bench) { journal, channel in
                let gate = Gates.makeName()
                let first = try journal.state
                let event = channel.send(.wait(1, gate: gate))
                let second = try #require(try await journal.state(after: first.revision, within: Self.patience))
                #expect(second.causes?.events.count == 1)
                Gates.open(gate)
                #expect(await event.finish() == .finished)
                let third = try #require(try await journal.state(after: second.revision, within: Self.patience))
                #expect(third.causes?.events == [])
            }
        }
    }

    @Test("The newest events are named in their order, and the others are counted")
    func many() async throws {
        try await CoordinatorBench.with { bench in
            try await watching(bench) { journal, channel in
                let first = try journal.state
                let events = (1...20).map { channel.send(.add($0)) }
                for event in events { #expect(await event.finish() == .finished) }
                // The reader was slow, and sees the states of all events as one.
                try await poll { try journal.state.value["sum"] == 210 }
                let seen = try #require(try await journal.state(after: first.revision, within: Self.patience))
                let causes = try #require(seen.causes)
                #expect(causes.events.map(\.id) == events.suffix(8).compactMap { $0.id.map { "\($0)" } })
                #expect(causes.events.map(\.order) == causes.events.map(\.order).sorted())
                #expect(causes.omitted == 12)
            }
        }
    }

    @Test("A process that may not look into the coordinator gets the states without their events")
    func refused() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { _ in .nothing("Tools are switched off.") }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            try await watching(bench) { journal, channel in
                let first = try journal.state
                #expect(await channel.send(.add(1)).finish() == .finished)
                let second = try #require(try await journal.state(after: first.revision, within: Self.patience))
                #expect(second.causes == nil)
            }
        }
    }

    @Test("Events are recorded only while a tool watches")
    func recording() async throws {
        try await CoordinatorBench.with { bench in
            let host = try await bench.host()
            #expect(!host.channel.channel.recordsAppliedEvents)
            try await watching(bench) { _, _ in #expect(host.channel.channel.recordsAppliedEvents) }
            try await poll { !host.channel.channel.recordsAppliedEvents }
        }
    }
}
