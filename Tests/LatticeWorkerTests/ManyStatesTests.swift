import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker
import Testing

// Its states of many megabytes take long where other tests compute too.
@Suite(.timeLimit(.minutes(10)))
struct ManyStatesTests {
    @Test(
        "Many large states are restored after a worker's death, and published at once by the next worker (F70)",
        arguments: [
            // More than may be unfinished at a time, and more bytes than may wait.
            (channels: 1_100, bytes: 100_000), (channels: 8, bytes: 14 << 20),
        ]
    )
    func manyStatesAreRestored(channels count: Int, bytes: Int) async throws {
        try await WorkerBench.with(.socketPair) { bench in
            let recorders = (0..<count).map { _ in WorkerBench.Recorder() }
            let channels = recorders.enumerated().map { bench.open($1, instance: "\($0)") }
            try await bench.start()
            for task in channels.map({ $0.send(.grow(bytes)) }) { #expect(await task.finish() == .finished) }
            try await bench.kill()
            try await bench.start()
            for task in channels.map({ $0.send(.add(1)) }) { #expect(await task.finish() == .finished) }
            for recorder in recorders {
                let state = recorder.record.value.states.last
                #expect(state?.padding.utf8.count == bytes && state?.entries == [1])
            }
            #expect(bench.closed.value.count == 1)
        }
    }

    @Test("Unacknowledged events are sent again, however large they are together (F70)")
    func manyLargeEventsAreSentAgain() async throws {
        try await WorkerBench.with(.socketPair) { bench in
            let recorders = (0..<3).map { _ in WorkerBench.Recorder() }
            let channels = recorders.enumerated().map { bench.open($1, instance: "\($0)") }
            let gate = String(repeating: "x", count: 40 << 20)
            let tasks = channels.map { $0.send(.wait(1, gate: gate)) }
            try await bench.start()
            for recorder in recorders { try await recorder.record.until { $0.states.last?.entries == [1] } }
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.finish() == .cancelled) }
            #expect(bench.closed.value.isEmpty)
        }
    }

    @Test("Effects start when their own channel's state is in the socket, not when all states are")
    func effectsDoNotWaitForOtherChannels() async throws {
        try await WorkerBench.with(.messages) { bench in
            let (large, small) = (WorkerBench.Recorder(), WorkerBench.Recorder())
            let blocking = bench.open(large, instance: "large")
            let channel = bench.open(small, instance: "small")
            let incarnation = try await bench.start()
            try await large.record.until { $0.opened == 1 }
            try await small.record.until { $0.opened == 1 }
            let gate = Gates.makeName()
            incarnation.coordinator.connection.pauseReading()
            let grown = blocking.send(.grow(20 << 20))
            let waiting = channel.send(.wait(1, gate: gate))
            // Reads until the small state has come, and not on: most of the large one stays where it is.
            let connection = incarnation.coordinator.connection
            let paused = OneShot<Void>()
            small.onDelivery.change {
                $0 = {
                    // Earlier deliveries must not stop the reading: then the state would never get into the socket.
                    guard small.record.value.states.last?.entries == [1] else { return }
                    connection.pauseReading()
                    paused.complete()
                }
            }
            incarnation.coordinator.connection.resumeReading()
            try await Gates.untilArrived(gate)
            // The effect starts as soon as the state is in the socket, which may be before it is read from there.
            _ = await paused.wait()
            #expect(large.record.value.states.last?.padding.utf8.count != 20 << 20)
            small.onDelivery.change { $0 = {} }
            incarnation.coordinator.connection.resumeReading()
            Gates.open(gate)
            #expect(await waiting.finish() == .finished)
            #expect(await grown.finish() == .finished)
        }
    }
}
