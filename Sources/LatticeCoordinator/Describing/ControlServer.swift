import LatticeConcurrency
import LatticeCore
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire

/// Answers the requests to look into the coordinator, and to act on it. It decides who may do what.
///
/// Permissions, descriptions and acts are computed on threads of the library, because a permission is code of the
/// program and a description reads files.
final class ControlServer: Sendable {
    /// The process that sent a request.
    struct Sender: Sendable {
        let clients: ClientRegistry
        let session: Session
        /// The number of the session's connection.
        let connection: UInt64
        /// Whether the process is connected as a tool.
        let isTool: Bool
    }

    private let facts: CoordinatorFacts
    private let registry: FeatureRegistry
    private let settings: LiveConfiguration
    private let events: RuntimeEvents
    private let describer = Describer()
    private let operations = OperationServer()
    /// The limiter of the messages about refused acts.
    private let refusals = Locked(LogBurst())

    init(
        of registry: FeatureRegistry,
        facts: CoordinatorFacts = CoordinatorFacts(),
        settings: LiveConfiguration
    ) {
        self.registry = registry
        self.facts = facts
        self.settings = settings
        events = settings.value.events
    }

    /// The number of descriptions that are being built or wait for their turn.
    var descriptionCount: Int { describer.count }
    /// The number of subscriptions.
    var subscriptionCount: Int { describer.subscriptionCount }

    /// Answers a request to describe something. Call it on the event loop.
    ///
    /// - Throws: The violation, if the session has a subscription with the number of the request.
    func receive(_ message: DescribeMessage, from sender: Sender) throws(WireError) {
        let request = Describer.Request(
            message: message,
            session: sender.session,
            isOfClient: !sender.isTool,
            // A subscription asks again for each description, because the settings can change.
            refusal: { [self] in permission(of: sender)?.refusalToLook },
            sections: { [self] in sections(for: sender).visible(to: requester(sender)) }
        )
        try describer.receive(request, of: sender.connection)
    }

    /// Answers a request to act. Call it on the event loop.
    func receive(_ message: OperateMessage, from sender: Sender) {
        let session = sender.session
        guard sender.isTool else {
            // Without a task, so that clients take no places of tools and no threads.
            report(Self.refusalOfClients, on: session.eventLoop) { [self] in operation(message, requester(sender)) }
            return OperationServer.answer(
                message.request,
                OperationAnswer(.refused, Self.refusalOfClients),
                on: session
            )
        }
        let acts = Operator(sections(for: sender))
        let request = OperationServer.Request(number: message.request, session: session) { [self] in
            let requester = requester(sender)
            let refusal = permission(of: sender)?.refusalToAct
            let operation = operation(message, requester)
            if let refusal {
                session.eventLoop.execute { [self] in report(refusal, on: session.eventLoop) { operation } }
                return OperationAnswer(.refused, refusal)
            }
            events.emit(.operationBegan, .operationBegan(operation))
            let answer = await acts.perform(message.act, message.arguments, for: requester.title)
            events.emit(
                .operationEnded,
                .operationEnded(operation, result: answer.reason, isDone: answer.code == .done)
            )
            return answer
        }
        operations.receive(request, of: sender.connection)
    }

    /// Returns an act for the observers of the runtime.
    private func operation(_ message: OperateMessage, _ requester: ControlRequester) -> RuntimeEvent.Operation {
        RuntimeEvent.Operation(
            act: message.act,
            arguments: OperationArguments.text(of: message.arguments),
            processID: requester.processID,
            userID: requester.userID,
            program: requester.program
        )
    }

    /// Reports a refused act to the observers of the runtime. Further ones of a burst are counted and reported
    /// together, because a process can ask again and again. Call it on the event loop.
    ///
    /// - Parameter operation: Returns the act. It is called for the first refusal of a burst.
    private func report(
        _ reason: String,
        on eventLoop: any EventLoop,
        _ operation: () -> RuntimeEvent.Operation
    ) {
        guard refusals.withLock({ $0.note(at: .now) }) else { return }
        let operation = operation()
        events.emit(.operationEnded, .operationEnded(operation, result: reason, isDone: false))
        watchRefusals(after: operation, on: eventLoop)
    }

    /// Reports the number of further refusals, until there are none for a while. Runs on the event loop's thread.
    private func watchRefusals(after first: RuntimeEvent.Operation, on eventLoop: any EventLoop) {
        _ = eventLoop.at(.now + LogBurst.quiet) { [self] in
            let (count, isActive) = refusals.withLock { ($0.tick(now: .now), $0.isActive) }
            if let count {
                let result = "\(count) more \(count == 1 ? "act was" : "acts were") refused since then."
                events.emit(.operationEnded, .operationEnded(first, result: result, isDone: false))
            }
            if isActive { watchRefusals(after: first, on: eventLoop) }
        }
    }

    /// Sends the answers that had no room. Call it on the event loop.
    func drained(_ connection: UInt64) {
        describer.drained(connection)
        operations.drained(connection)
    }

    /// Forgets the requests of a connection that ended. The orders of its acts stay in force.
    func ended(_ connection: UInt64) {
        describer.ended(connection)
        operations.ended(connection)
    }

    private static let refusalOfClients =
        "Only tools may act on this coordinator. Connect as a tool, as latticectl does."

    private func sections(for sender: Sender) -> CoordinatorSections {
        CoordinatorSections(
            facts: facts,
            registry: registry,
            clients: sender.clients,
            configuration: settings.value,
            eventLoop: sender.session.eventLoop
        )
    }

    /// Returns whether a process may look into the coordinator. It calls a closure of the program.
    func mayLook(_ sender: Sender) -> Bool { permission(of: sender)?.refusalToLook == nil }

    /// Returns the permission of a process, or nil if the program does not limit what processes may do.
    private func permission(of sender: Sender) -> ControlPermission? {
        settings.value.controlPermission.map { $0(requester(sender)) }
    }

    private func requester(_ sender: Sender) -> ControlRequester {
        let peer = sender.session.connection.peer
        return ControlRequester(
            processID: peer.processID,
            userID: peer.userID,
            program: peer.processID.flatMap(ProcessFigures.program),
            isTool: sender.isTool
        )
    }
}
