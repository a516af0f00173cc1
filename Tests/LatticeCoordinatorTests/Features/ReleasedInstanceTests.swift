import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests that an instance of a feature can be released.
@Suite(.timeLimit(.minutes(10)))
struct ReleasedInstanceTests {
    private static let key = FeatureRegistry.Key(feature: "journal", instance: "")

    /// A client with an event that waits at the gate.
    private func withRunningEvent(
        _ body: (CoordinatorBench, TestClient, TestClient.Recorder, TestClient.Channel, EventTask, String) async throws
            -> Void
    ) async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await body(bench, client, recorder, channel, running, gate)
        }
    }

    @Test func itsClientsGetClosedAndItsEffectsEnd() async throws {
        try await withRunningEvent { bench, _, recorder, channel, running, gate in
            bench.registry.release(Self.key)
            let record = try await recorder.record.until { $0.rejection != nil }
            #expect(record.rejection?.reason == "The coordinator has closed this instance of \"journal\".")
            #expect(await running.finish() == .cancelled)
            try await Gates.untilCancelled(gate)
            #expect(await channel.send(.add(2)).finish() == .rejected(.closed))
            #expect(bench.registry.existingHost(Self.key) == nil)
        }
    }

    @Test func aWaitForAWorkerEndsWithTheRelease() async throws {
        try await CoordinatorBench.with { bench in
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = client.open(recorder)
            try await client.connect()
            while bench.registry.existingHost(Self.key) == nil { await Task.yield() }
            bench.registry.release(Self.key)
            let record = try await recorder.record.until { $0.rejection != nil }
            #expect(record.refusal == .unavailable)
        }
    }

    @Test func theNextClientGetsANewInstance() async throws {
        try await withRunningEvent { bench, client, _, _, _, _ in
            let old = try await bench.host()
            bench.registry.release(Self.key)
            #expect(await old.viewModel.sendViewEvent(.add(2)).finish() == .rejected(.closed))
            let host = try await bench.host()
            #expect(host !== old)
            #expect(await host.viewModel.sendViewEvent(.add(3)).finish() == .finished)
            #expect(await host.viewModel.viewState == JournalFeature.ViewState(sum: 3, count: 1, last: 3))
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            #expect(await channel.send(.add(4)).finish() == .finished)
            #expect(recorder.record.value.states.last?.sum == 7)
        }
    }

    @Test func anAbsentClientComesBackToANewInstance() async throws {
        try await withRunningEvent { bench, client, recorder, channel, running, _ in
            try await client.disconnect()
            bench.registry.release(Self.key)
            try await client.connect()
            try await recorder.record.until { $0.opened == 2 }
            #expect(await channel.send(.add(5)).finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.ViewState(sum: 5, count: 1, last: 5))
            // No process remembers how the event ended.
            guard case .unknown = await running.finish() else {
                Issue.record("not unknown")
                return
            }
        }
    }

    @Test func anInstanceThatWasNotMadeIsNotReleased() async throws {
        try await withRunningEvent { bench, _, recorder, _, running, gate in
            bench.registry.release(.init(feature: "journal", instance: "other"))
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            #expect(recorder.record.value.rejection == nil)
        }
    }
}
