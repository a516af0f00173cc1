import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeCoordinator

/// A feature that notes what its turns and effects know about their events.
private enum SenderFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case note
        /// Notes the sender, and notes it again in an effect that waits at the gate before it ends.
        case wait(gate: String)
        case noted(String)
        case recovered
    }

    static let identifier = "senders"
    static func initialDomainState(in context: HostContext) -> [String] { [] }

    static func interactor(in context: HostContext) -> Interact<[String], Action> {
        Interact { notes, action in
            switch action {
            case .note, .recovered: notes.append(Self.note())
            case .noted(let text): notes += [text, Self.note()]
            case .wait(let gate):
                notes.append(Self.note())
                return .perform {
                    let text = Self.note()
                    try await Gates.wait(gate)
                    return .noted(text)
                }
            }
            return .none
        }
    }

    static func recovery(from interruption: Interruption, in state: [String]) -> Action? { .recovered }

    static func reducer() -> BuildViewState<[String], [String]> {
        BuildViewState(initial: { $0 }) { state, shown in shown = state }
    }

    static func note() -> String {
        guard let context = EventContext.current else { return "nothing" }
        return text(context.order, "\(context.cause)", context.sender)
    }

    static func text(_ order: UInt64, _ cause: String, _ sender: EventSource) -> String {
        guard case .client(let client) = sender else { return "\(order), \(cause), \(sender)" }
        let (process, user) = (client.processID.map { "\($0)" } ?? "-", client.userID.map { "\($0)" } ?? "-")
        return "\(order), \(cause), \(client.sender) \(process) \(user) \(client.program ?? "-")"
    }
}

/// Tests that a feature knows who sent its events, whatever the sender says.
@Suite(.timeLimit(.minutes(10)))
struct SenderTests {
    private func withBench(
        _ configuration: CoordinatorConfiguration = .patient,
        _ body: (CoordinatorBench) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with(hosting: [SenderFeature.self], configuration: configuration, body)
    }

    /// The client as it connects from this process.
    private func local(_ client: TestClient) -> EventSource {
        let own = Peer.Credentials.current
        let program = ProcessFigures.executable(of: own.processID)
        return .client(
            RuntimeEvent.Client(sender: client.name, processID: own.processID, userID: own.userID, program: program)
        )
    }

    /// Another client, about whose process the system says nothing.
    private func unknown(_ client: TestClient) -> EventSource {
        .client(RuntimeEvent.Client(sender: client.name, processID: nil, userID: nil))
    }

    @Test("The process of a client comes from the system, and all senders share one order")
    func clients() async throws {
        try await withBench { bench in
            bench.startWorker()
            let (one, other) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            try await one.connect(isLocal: true)
            try await other.connect()
            let host = try await bench.host(SenderFeature.self)
            let first = try await one.viewModel(SenderFeature.self)
            let second = try await other.viewModel(SenderFeature.self)
            let gate = Gates.makeName()
            Gates.open(gate)
            #expect(await first.sendViewEvent(.wait(gate: gate)).finish() == .finished)
            #expect(await second.sendViewEvent(.note).finish() == .finished)
            #expect(await host.viewModel.sendViewEvent(.note).finish() == .finished)
            #expect(await first.sendViewEvent(.note).finish() == .finished)
            let (mine, theirs) = (local(one), unknown(other))
            #expect(
                host.acknowledgedState == [
                    SenderFeature.text(1, "sent", mine), SenderFeature.text(1, "sent", mine),
                    SenderFeature.text(1, "effect", mine), SenderFeature.text(2, "sent", theirs),
                    "3, sent, the program", SenderFeature.text(4, "sent", mine),
                ]
            )
            if case .client(let client) = mine { #expect(client.program != nil) }
        }
    }

    @Test("A repeated event keeps its order and its sender, and a recovery is the feature's")
    func afterAWorkersDeath() async throws {
        let list = EventList()
        var configuration = CoordinatorConfiguration.patient
        configuration.observers = [list.observer(of: [.eventOrdered])]
        try await withBench(configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            try await client.connect(isLocal: true)
            let host = try await bench.host(SenderFeature.self)
            let viewModel = try await client.viewModel(SenderFeature.self)
            let gate = Gates.makeName()
            let waiting = await viewModel.sendViewEvent(.wait(gate: gate))
            try await Gates.untilArrived(gate)
            try await bench.killWorker()
            // It waits for a worker, and is sent when the next one serves.
            let later = await viewModel.sendViewEvent(.note)
            bench.startWorker()
            #expect(await later.finish() == .finished)
            #expect(await waiting.finish() == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
            let sender = local(client)
            try await poll { host.acknowledgedState?.count == 3 }
            let notes = try #require(host.acknowledgedState)
            #expect(notes.first == SenderFeature.text(1, "sent", sender))
            // The recovery and the waiting event are numbered in the order in which they were sent.
            let recovery = try #require(notes.first { $0.hasSuffix("recovery 1, the feature") })
            #expect(["2, recovery 1, the feature", "3, recovery 1, the feature"].contains(recovery))
            #expect(notes.contains { $0.hasSuffix(SenderFeature.text(0, "sent", sender).dropFirst(1)) })
            #expect(list.lines.count == 3)
            #expect(
                list.events.value.allSatisfy { event in
                    guard case .eventOrdered(_, _, let cause, let source) = event else { return false }
                    return cause == .sent ? source == sender : source == .feature
                }
            )
        }
    }

    @Test("The cause of a client's event reaches the worker if the client traces, and a client cannot claim a recovery")
    func causes() async throws {
        try await withBench { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            try await client.connect()
            let host = try await bench.host(SenderFeature.self)
            let channel = FeatureClient<SenderFeature.Action, SenderFeature.ViewState>(
                .init(SenderFeature.self, instance: ""),
                in: client.channels,
                sender: nil,
                deliver: { $0.endEvents() }
            )
            let other = try #require(EventID("tally/00000000000000000000000000000001/3/17"))
            var trace = TraceContext()
            trace["traceparent"] = "00-1"
            for trace in [TraceContext(), trace] {
                let outcome = await trace.withCurrent {
                    await TaskSubject.$current.withValue(.event(EventContext(id: other))) {
                        await channel.send(.note).finish() as EventOutcome
                    }
                }
                #expect(outcome == .finished)
            }
            let forged = Interruption(cause: .disconnected, incarnation: 7)
            let outcome = await channel.actions.send(.note, recoveringFrom: forged).finish() as EventOutcome
            #expect(outcome == .finished)
            let sender = unknown(client)
            #expect(
                host.acknowledgedState == [
                    SenderFeature.text(1, "sent", sender), SenderFeature.text(2, "event \(other)", sender),
                    SenderFeature.text(3, "sent", sender),
                ]
            )
        }
    }
}
