import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeControl
@testable import LatticeCoordinator

/// Features that a tool opens without their Swift types, over memory.
@Suite(.timeLimit(.minutes(10)))
struct UntypedFeatureTests {
    private func with(
        _ feature: String,
        instance: String = "",
        at bench: CoordinatorBench,
        _ body: (UntypedFeature) async throws -> Void
    ) async throws {
        let untyped = try UntypedFeature(feature, instance: instance, path: "memory", reactor: bench.reactor)
        defer { untyped.close() }
        let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        bench.clients.accept(far)
        try await untyped.open(over: near, within: .seconds(60))
        try await body(untyped)
    }

    @Test("A state is shown, an action by its shape changes it, and one that does not fit is rejected by the worker")
    func sends() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            try await with("journal", instance: "a", at: bench) { journal in
                let before = try journal.state
                let result = try await journal.send(
                    try DescriptionValue(json: #"{"add":{"_0":5}}"#),
                    waitingAtMost: .seconds(60)
                )
                #expect(result == EventResult(.finished))
                let after = try #require(try await journal.state(after: before.revision))
                #expect(after.revision > before.revision && !after.changes(since: before).isEmpty)
                for wrong in ["5", #"{"fly":{}}"#, #"{"add":{"_0":"x"}}"#, "null"] {
                    let action = try DescriptionValue(json: wrong)
                    let rejected = try await journal.send(action, waitingAtMost: .seconds(60))
                    #expect(rejected?.kind == .rejected && rejected?.reason.isEmpty == false)
                }
                // It is a client like any other while it is connected.
                #expect(bench.clients.connected.count == 1)
            }
            try await poll { bench.clients.known.isEmpty && bench.clients.connected.isEmpty }
        }
    }

    @Test("A deadline ends an event, and the time to wait does not")
    func waits() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            try await with("journal", at: bench) { journal in
                let gate = Gates.makeName()
                let wait = DescriptionValue.map(["wait": ["_0": 1, "gate": .text(gate)]])
                let running = try await journal.send(wait, waitingAtMost: .milliseconds(1))
                #expect(running == nil)
                try await Gates.untilArrived(gate)
                let ended = try await journal.send(wait, deadline: .milliseconds(50), waitingAtMost: .seconds(60))
                #expect(ended?.kind == .cancelled || ended?.kind == .rejected)
                Gates.open(gate)
            }
        }
    }

    @Test("A feature that is not hosted, and a coordinator that ends, have errors of their own")
    func errors() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let absent = await #expect(throws: ControlError.self) { try await with("nothing", at: bench) { _ in } }
            #expect(absent?.code == .notFound && absent?.message.contains("It hosts: archive, journal") == true)
            try await with("journal", at: bench) { journal in
                let revision = try journal.state.revision
                // Whether the end comes before the wait or during it, the wait ends with it.
                async let stop: Void = bench.clients.stop(within: .seconds(60))
                let ended = await #expect(throws: ControlError.self) { try await journal.state(after: revision) }
                await stop
                #expect(ended?.code == .unreachable)
                await #expect(throws: ControlError.self) { try await journal.send(nil, waitingAtMost: .seconds(60)) }
            }
        }
    }
}
