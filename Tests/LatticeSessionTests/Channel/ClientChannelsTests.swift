import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ClientChannelsTests {
    private static let count = 2_000

    @Test("Channels that several threads create are opened in ascending order on each session")
    func numbersAscend() async throws {
        try await SessionLink.memory.withEnds { one, other in
            let channels = ClientChannels(eventLoop: one.eventLoop, as: .initiator)
            try await opens(channels, one, other) {
                await withTaskGroup { group in
                    for _ in 0..<4 {
                        group.addTask { for _ in 0..<Self.count / 4 { makeChannel(channels) } }
                    }
                }
            }
            channels.detach()
            let (near, far) = MemoryConnection.pair(eventLoop: one.eventLoop, other: other.eventLoop)
            try await opens(channels, near, far) {}
        }
    }

    /// Connects, and looks at what was opened.
    private func opens(
        _ channels: ClientChannels,
        _ near: any Connection,
        _ far: any Connection,
        _ body: () async throws -> Void
    ) async throws {
        let server = SessionRecorder()
        let session = Session(over: near, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: channels)
        let acceptor = Session(
            over: far,
            as: .acceptor(Handshakes.acceptance()),
            handshakeTimeout: nil,
            handler: server
        )
        acceptor.start()
        session.start()
        try await server.record.until { $0.peer != nil }
        try await body()
        let record = try await server.record.until { $0.messages.count == Self.count || $0.closed > 0 }
        // As one expression it takes the type checker four seconds.
        let numbers: [UInt32] = record.messages.map(\.channel)
        let oddOnes = Array(stride(from: UInt32(1), to: UInt32(2 * Self.count), by: 2))
        #expect(numbers == oddOnes)
        #expect(record.error == nil)
        session.connection.close()
        try await server.record.until { $0.closed == 1 }
    }

    private func makeChannel(_ channels: ClientChannels) {
        _ = channels.makeChannel { number in
            ChannelClient(
                number: number,
                subject: .init(feature: "f", schema: 1, instance: "", restoresState: true),
                eventLoop: channels.eventLoop
            ) { _, _, _ in }
        }
    }
}
