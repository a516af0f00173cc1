import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Sends, cancels and lost connections at random; a failing run prints its seed.
@Suite(.timeLimit(.minutes(10)))
struct RandomReconnectTests {
    @Test(arguments: [nil] + (1...4).map(UInt64?.some))
    func everyEventEndsOnceAndIsAppliedOnce(fixed: UInt64?) async throws {
        let seed = fixed ?? UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            try await client.connect()
            let gate = Gates.makeName()
            var tasks: [(number: Int, task: EventTask, isCancelled: Bool)] = []
            for number in 1...300 {
                switch UInt8.random(in: 0..<100, using: &generator) {
                case 0..<70: tasks.append((number, channel.send(.add(number)), false))
                case 70..<85: tasks.append((number, channel.send(.wait(number, gate: gate)), false))
                case 85..<95:
                    guard let index = tasks.indices.randomElement(using: &generator) else { continue }
                    tasks[index].isCancelled = true
                    tasks[index].task.cancel()
                default:
                    try await client.disconnect()
                    try await client.connect()
                }
            }
            Gates.open(gate)
            let host = try await bench.host()
            for (number, task, isCancelled) in tasks {
                let outcome = await task.finish()
                let count = host.acknowledgedState?.entries.count { $0 == number } ?? 0
                #expect(outcome == .finished || outcome == .cancelled && isCancelled, "seed \(seed): event \(number)")
                #expect(count == 1 || outcome == .cancelled && count == 0, "seed \(seed): event \(number)")
            }
        }
    }
}
