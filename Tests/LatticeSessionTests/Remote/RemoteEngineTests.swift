import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RemoteEngineTests {
    typealias Engine = RemoteEngine<Int, Int, Int>

    @Test("the events of a view model that is gone end, with what is known of them", arguments: [false, true])
    func eventsOfAViewModelThatIsGoneEnd(isGone: Bool) async throws {
        try await withReactor { reactor in
            let (channel, event, engine) = await send(keepsEngine: !isGone, on: reactor)
            let rejection = EventRejection.closed.with(reason: "the coordinator stopped")
            channel.link.close(rejection, interruption: Interruption(cause: .signal(9), incarnation: 1))
            #expect(await event.finish() == .rejected(rejection))
            withExtendedLifetime(engine) {}
        }
    }

    @MainActor private func send(
        keepsEngine: Bool,
        on reactor: Reactor
    ) -> (channel: RemoteChannel<Int, Int>, event: EventTask, engine: Engine?) {
        let engine = Engine()
        let channel = RemoteChannel<Int, Int>(
            number: 1,
            subject: .init(feature: "f", schema: 1, instance: "", restoresState: true),
            eventLoop: reactor,
            deliver: engine.receiver
        )
        engine.connect(channel)
        return (channel, engine.send(1), keepsEngine ? engine : nil)
    }
}
