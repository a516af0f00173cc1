import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeWorker

/// The numbers of channels ascend within a session.
@Suite(.timeLimit(.minutes(10)))
struct ChannelNumberTests {
    @Test(
        "A worker ends a session that reuses a channel number or opens a lower one",
        arguments: OpeningSequence.acceptor
    )
    func numbersAscend(sequence: OpeningSequence) async throws {
        try await WorkerBench.withHost { recorder, coordinator, host in
            sequence.send(on: coordinator, feature: JournalFeature.identifier)
            let closed = try await recorder.record.until { $0.closed == 1 }
            #expect(closed.error?.code == .goodbye)
            let message = try #require(closed.error?.message)
            #expect(message.contains("channel \(sequence.refusedNumber)"))
            #expect(message.hasSuffix("[outOfOrder]"))
            // The process continues, and can report the error.
            await #expect(throws: SessionError.self) { try await host.ended.value.get() }
        }
    }

    @Test func numbersMayBeLeftOut() async throws {
        try await WorkerBench.withHost { recorder, coordinator, _ in
            for number in [2, 4, 900, .max - 1] as [UInt32] {
                coordinator.send { $0.addOpen(Open(feature: JournalFeature.identifier, schema: 1), on: number) }
            }
            let record = try await recorder.record.until { $0.messages.count == 4 }
            #expect(record.messages.map(\.kind) == [.opened, .opened, .opened, .opened])
            #expect(record.messages.map(\.channel) == [2, 4, 900, .max - 1])
        }
    }
}
