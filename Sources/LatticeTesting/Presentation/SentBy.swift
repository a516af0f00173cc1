import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

extension EventContext {
    /// The context of an event that a test sends.
    ///
    /// - Parameters:
    ///   - sender: The sender that the feature sees.
    ///   - number: The number of the event at the sender.
    init(sentBy sender: EventSource, number: UInt64) {
        switch sender {
        case .program: self.init()
        case .feature: self.init(cause: .recovery(incarnation: 0))
        case .client(let client):
            let origin = EventOrigin(
                sender: client.identity,
                channel: 1,
                feature: "test",
                instance: "",
                client: RuntimeEvent.Client(client.identity, client.facts)
            )
            self.init(id: EventID(origin: origin, number: number))
        }
    }
}

extension RuntimeEvent.Client {
    /// The identity that the text of the sender stands for. A test may use any text.
    fileprivate var identity: EventSender {
        if let id = EventID("test/\(sender)/1/1") { return id.origin.sender }
        return EventSender(sender.utf8.reduce(1) { ($0 &* 257) &+ UInt128($1) })
    }

    /// What a coordinator would know about the process.
    fileprivate var facts: SenderFacts { SenderFacts(processID: processID, userID: userID, program: program) }
}

/// Sends events to a worker in the name of clients, as a coordinator does.
@MainActor
final class ClientStandIn<Action: Encodable & Sendable, State: Decodable & Sendable> {
    private let channel: ChannelClient
    private let canceller: ActionSender<Action>
    /// The number of events that were sent.
    private var sent: UInt64 = 0
    /// The clients, whose positions are the numbers of their connections.
    private var clients: [RuntimeEvent.Client] = []

    init(on client: FeatureClient<Action, State>) {
        channel = client.channel
        canceller = client.actions
    }

    /// Sends an action as an event of a client.
    func send(_ action: Action, from client: RuntimeEvent.Client) -> EventTask {
        if !clients.contains(client) { clients.append(client) }
        sent += 1
        let origin = EventName.Origin(
            sender: client.identity.value,
            channel: 1,
            connection: UInt32((clients.firstIndex(of: client) ?? 0) + 1)
        )
        var made: EventCompletion?
        do {
            let action = try CBOREncoder().encode(action)
            _ = channel.send(action, as: EventName(origin: origin, number: sent)) { number in
                let completion = EventCompletion(canceller: canceller, event: number)
                made = completion
                return ClientPromise(completion, of: client)
            }
        } catch {
            return EventTask(ended: .rejected(.undecodable.with(reason: "The action cannot be encoded: \(error)")))
        }
        return made.map { EventTask(completion: $0) } ?? EventTask(ended: .rejected(.closed))
    }
}

/// The promise of an event that a test sends in the name of a client.
private final class ClientPromise: EventPromise {
    private let completion: EventCompletion
    let sender: SenderFacts?

    init(_ completion: EventCompletion, of client: RuntimeEvent.Client) {
        self.completion = completion
        sender = client.facts
    }

    func ended(_ outcome: WireOutcome, report: TerminationReport?) {
        completion.ended(outcome, report: report)
    }
}
