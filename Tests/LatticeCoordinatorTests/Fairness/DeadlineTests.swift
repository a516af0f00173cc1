import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Deadlines of events that come from clients.
@Suite(.timeLimit(.minutes(10)))
struct DeadlineTests {
    @Test("A client's event whose deadline passes before there is a worker ends then, and is never applied (F55)")
    func withoutAWorker() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (client, recorder) = (bench.makeClient(identity: 1), TestClient.Recorder())
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await bench.killWorker()
            let late = channel.send(.add(1), deadline: .now + .milliseconds(50))
            let inTime = channel.send(.add(2), deadline: .now + .seconds(86_400))
            #expect(await late.finish() == .rejected(.deadlinePassed))
            bench.startWorker()
            #expect(await inTime.finish() == .finished)
            #expect(recorder.record.value.states.last?.sum == 2)
        }
    }

    @Test("An event that waits in a queue ends at its deadline (F55)")
    func waitingForItsTurn() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumEventsPerClient = 1000
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let (client, recorder) = (bench.makeClient(identity: 1), TestClient.Recorder())
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            // From here on, no event reaches a worker or is acknowledged. There are more events than may be in flight.
            bench.supervisor.channels.detach()
            let ahead = (1...300).map { channel.send(.add($0)) }
            let late = channel.send(.add(1000), deadline: .now + .milliseconds(50))
            #expect(await late.finish() == .rejected(.deadlinePassed))
            #expect(ahead.allSatisfy { $0.outcome == nil })
        }
    }

    @Test("The effects of a client's event are cancelled at its deadline, although the client has disconnected")
    func withoutTheClient() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (client, recorder) = (bench.makeClient(identity: 1), TestClient.Recorder())
            let channel = client.open(recorder)
            try await client.connect()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate), deadline: .now + .seconds(1))
            try await recorder.record.until { $0.acknowledged == 1 }
            let session = try #require(bench.clients.known.first)
            try await client.disconnect()
            let number = channel.channel.number
            try await poll { await session.snapshot(on: bench.reactor).channels[number]?.running.isEmpty != false }
            try await client.connect()
            let outcome = await running.finish()
            // On a busy machine the effect may not begin in time, or the turn.
            if outcome != .rejected(.deadlinePassed) { #expect(outcome == .cancelled) }
            if Gates.arrivals(gate) > 0 { try await Gates.untilCancelled(gate) }
        }
    }

    @Test("The trace in which a client sends an event reaches its effects through the coordinator")
    func traces() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (client, recorder) = (bench.makeClient(identity: 1), TestClient.Recorder())
            let channel = client.open(recorder)
            try await client.connect()
            let gate = Gates.makeName()
            var trace = TraceContext()
            trace["traceparent"] = "00-1-2-01"
            let traced = trace.withCurrent { channel.send(.wait(1, gate: gate)) }
            try await Gates.untilArrived(gate)
            let plain = channel.send(.wait(2, gate: gate))
            try await Gates.untilArrived(gate, count: 2)
            Gates.open(gate)
            for task in [traced, plain] { #expect(await task.finish() == .finished) }
            #expect(Gates.traces(gate) == [trace, TraceContext()])
        }
    }
}
