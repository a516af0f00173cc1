import LatticeCore
import Testing

/// Tests what code can read about the event that it belongs to.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EventContextTests {
    private nonisolated static let client = RuntimeEvent.Client(
        sender: "a0",
        processID: 7,
        userID: 1000,
        program: "/bin/notes"
    )

    struct Row: Sendable {
        let client: RuntimeEvent.Client?
        let cause: EventCause
        let sender: EventSource
    }

    nonisolated static let table = [
        Row(client: client, cause: .sent, sender: .client(client)),
        Row(client: client, cause: .recovery(incarnation: 2), sender: .client(client)),
        Row(client: client, cause: .started, sender: .client(client)),
        Row(client: nil, cause: .sent, sender: .program),
        Row(client: nil, cause: .recovery(incarnation: 2), sender: .feature),
        Row(client: nil, cause: .started, sender: .feature),
    ]

    private static func id(of client: RuntimeEvent.Client?) -> EventID {
        let sender = EventSender(160)
        let origin = EventOrigin(sender: sender, channel: 1, feature: "sample", instance: "", client: client)
        return EventID(origin: origin, number: 5)
    }

    /// Counts down in effects, and notes what the turns and the effects read.
    private func makeCountdown(_ seen: Shared<[String]>) -> FeatureRuntime<Int, Int> {
        @Sendable func note(_ place: String) {
            let context = EventContext.current
            let text = context.map { "\($0.order), \($0.cause), \($0.sender)" } ?? "nothing"
            seen.update { $0.append("\(place): \(text)") }
        }
        return makeRuntime(0) { (state: inout Int, action: Int) in
            note("turn \(action)")
            guard action > 0 else { return .none }
            let effect: Emission<Int> = .perform {
                note("effect \(action)")
                return action - 1
            }
            return action == 1 ? effect.named("last", whenInterrupted: .fail) : effect
        }
    }

    @Test("Turns and effects know the order, the cause and the sender of their event")
    func turnsAndEffects() async {
        let seen = Shared<[String]>([])
        let runtime = makeCountdown(seen)
        await runtime.send(2).finish()
        await runtime.send(0, in: EventContext(cause: .event(.sample(3)))).finish()
        #expect(
            seen.value == [
                "turn 2: 1, sent, the program", "effect 2: 1, sent, the program", "turn 1: 1, effect, the program",
                "effect 1: 1, sent, the program", "turn 0: 1, effect last, the program",
                "turn 0: 2, event \(EventID.sample(3)), the program",
            ]
        )
        #expect(EventContext.current == nil && EventID.current == nil)
    }

    @Test(
        "The sender is a client that the coordinator names, whatever the cause says",
        arguments: table
    )
    func senders(row: Row) async {
        let seen = Shared<[EventContext?]>([])
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            seen.update { $0.append(EventContext.current) }
            return .perform {
                seen.update { $0.append(EventContext.current) }
                return nil
            }
        }
        await runtime.send(0, in: EventContext(id: Self.id(of: row.client), cause: row.cause), event: 9).finish()
        #expect(seen.value.map(\.?.sender) == [row.sender, row.sender])
        #expect(seen.value.map(\.?.id) == [Self.id(of: nil), Self.id(of: nil)])
        // The host numbers the events of a worker.
        #expect(seen.value.map(\.?.order) == [9, 9])
    }

    @Test("What a feature does when it starts has no number, and the first event has the number 1")
    func started() async {
        let seen = Shared<[String]>([])
        let runtime = makeCountdown(seen)
        await runtime.send(1, in: EventContext(cause: .started)).finish()
        await runtime.send(0).finish()
        #expect(
            seen.value == [
                "turn 1: 0, started, the feature", "effect 1: 0, started, the feature",
                // The action of an effect has the sender of the event that started the effect.
                "turn 0: 0, effect last, the feature", "turn 0: 1, sent, the program",
            ]
        )
    }

    @Test("A turn inside the turn of another feature has its own context, and the outer one continues with its own")
    func nested() async {
        let seen = Shared<[EventID?]>([])
        let inner = makeRuntime(0) { (state: inout Int, action: Int) in
            seen.update { $0.append(EventID.current) }
            return .none
        }
        let outer = makeRuntime(0) { (state: inout Int, action: Int) in
            seen.update { $0.append(EventID.current) }
            MainActor.assumeIsolated { _ = inner.send(1, in: EventContext(id: .sample(2))) }
            seen.update { $0.append(EventID.current) }
            return .none
        }
        await outer.send(1, in: EventContext(id: .sample(1))).finish()
        #expect(seen.value == [.sample(1), .sample(2), .sample(1)])
    }

    @Test("An event that a traced effect sends has the effect's event as its cause")
    func cause() async throws {
        let seen = Shared<[EventCause?]>([])
        let inner = ViewModel(
            initialDomainState: 0,
            feature: Feature(
                interactor: Interact<Int, Int> { _, _ in
                    seen.update { $0.append(EventContext.current?.cause) }
                    return .none
                }
            )
        )
        let outer = makeRuntime(0) { (state: inout Int, action: Int) in
            .perform {
                await inner.sendViewEvent(1).finish()
                return nil
            }
        }
        await outer.send(1, in: EventContext(id: .sample(4), trace: ["tracestate=a=1"])).finish()
        await outer.send(1, in: EventContext(id: .sample(5))).finish()
        await inner.sendViewEvent(2).finish()
        #expect(seen.value == [.event(.sample(4)), .sent, .sent])
    }

    @Test("The metadata of log entries has stable keys")
    func metadata() {
        let ofClient = EventContext(id: Self.id(of: Self.client), order: 3, cause: .effect(name: "save"))
        #expect(
            ofClient.metadata == [
                "event": "\(Self.id(of: nil))", "order": "3", "cause": "effect save", "sender": "client 7",
            ]
        )
        let own = EventContext(order: 4)
        #expect(own.metadata == ["order": "4", "cause": "sent", "sender": "program"])
    }
}
