import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FeatureClientTests {
    /// Channels that are not released would also keep their reactor and its two descriptors.
    @Test("Client channels are released when nothing refers to them, whatever their state types are")
    func nothingIsLeft() async throws {
        try await withReactor { reactor in
            weak var left: ClientChannels?
            do {
                let channels = ClientChannels(eventLoop: reactor, as: .initiator)
                left = channels
                open(Int.self, in: channels)
                open(ArchiveFeature.ViewState.self, in: channels)
            }
            // Opening them is on its way.
            await reactor.endOfTick()
            #expect(left == nil)
        }
    }

    private func open<State: Decodable & Sendable>(_ state: State.Type, in channels: ClientChannels) {
        _ = FeatureClient<Int, State>(
            .init(feature: "f", schema: 1, instance: "", restoresState: true),
            in: channels,
            sender: nil
        ) { _ in }
    }
}
