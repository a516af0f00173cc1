import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10))) struct LossyConnectionTests {
    @Test("Over a link that loses messages, sessions break, but no event is lost or applied twice", arguments: 1...4)
    func nothingIsLost(seed: UInt64) async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            await withThrowingTaskGroup { group in
                group.addTask {
                    for attempt in 0... {
                        let before = client.closed.value.count
                        let faults = LossyLink.Faults(lost: 60, swapped: 20, seed: seed << 32 + UInt64(attempt))
                        client.startConnecting(faults: faults)
                        try await client.closed.until { $0.count > before }
                        client.channels.detach()
                    }
                }
                for round in 0..<20 {
                    let tasks = (1...10).map { channel.send(.add(10 * round + $0)) }
                    for task in tasks { #expect(await task.finish() == .finished) }
                }
                group.cancelAll()
            }
            let state = try await bench.host().viewModel.viewState
            #expect(state == JournalFeature.ViewState(sum: (1...200).reduce(0, +), count: 200, last: 200))
            #expect(client.closed.value.contains { $0?.message.contains("lost on its way") == true })
        }
    }
}
