import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RemoteEngineTests {
    typealias Engine = RemoteEngine<Int, Int>

    @Test("The events of a released view model end with what is known of them", arguments: [false, true])
    func eventsOfAViewModelThatIsGoneEnd(isGone: Bool) async throws {
        try await withReactor { reactor in
            let channels = ClientChannels(eventLoop: reactor, as: .initiator)
            let (event, engine) = await send(keepsEngine: !isGone, on: channels)
            let rejection = EventRejection.closed.with(reason: "the coordinator stopped")
            channels.close(reason: rejection.reason, interruption: Interruption(cause: .signal(9), incarnation: 1))
            #expect(await event.finish() == .rejected(rejection))
            withExtendedLifetime(engine) {}
        }
    }

    @MainActor private func send(
        keepsEngine: Bool,
        on channels: ClientChannels
    ) -> (event: EventTask, engine: Engine?) {
        let engine = Engine()
        engine.connect(
            FeatureClient(
                .init(feature: "f", schema: 1, instance: "", restoresState: true),
                in: channels,
                sender: nil,
                deliver: engine.receiver
            ).actions
        )
        return (engine.send(1), keepsEngine ? engine : nil)
    }
}
