import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire

/// Receives the requests to act, and sends their answers. ``OperationQueue`` decides when.
final class OperationServer: Sendable {
    /// A request, with the session that sent it.
    struct Request: Sendable {
        let number: UInt64
        let session: Session
        /// Carries out the act. It is called on a thread of the library.
        let perform: @Sendable () async -> OperationAnswer
    }

    private struct Reply: Sendable {
        let message: OperatedMessage
        let session: Session
    }

    private typealias Queue = OperationQueue<UInt64, Reply>

    private struct Core {
        var queue = Queue()
        /// The tasks of the acts that are being carried out, by their connections.
        var tasks: [UInt64: [Int: Task<Void, Never>]] = [:]
        var lastTask = 0
    }

    private let core = Locked(Core())

    /// Handles a request. Call it on the event loop.
    ///
    /// - Parameter connection: The number of the connection of the request's session.
    func receive(_ request: Request, of connection: UInt64) {
        switch core.withLock({ $0.queue.receive(from: connection) }) {
        case .begin: begin(request, for: connection)
        case .tooManyOfSession:
            refuse(
                request,
                "\(Queue.maximumPerSession) acts of this session are not answered yet, its maximum. Wait for one of them."
            )
        case .tooMany:
            refuse(
                request,
                "\(Queue.maximum) acts of all tools are not answered yet, the maximum. Wait until one of them has ended."
            )
        }
    }

    /// Sends the answer that had no room. Call it on the event loop.
    func drained(_ connection: UInt64) {
        send(core.withLock { $0.queue.drained(connection) }, to: connection)
    }

    /// Forgets the requests of a connection that ended. Their acts stop waiting, and their orders stay in force. Call
    /// it on the event loop.
    func ended(_ connection: UInt64) {
        let tasks = core.withLock { core in
            core.queue.ended(connection)
            return core.tasks.removeValue(forKey: connection) ?? [:]
        }
        for task in tasks.values { task.cancel() }
    }

    /// Carries out an act. The task is unstructured, because nothing on the event loop can wait for it. It ends within
    /// the act's own time limit, and at once after the session.
    private func begin(_ request: Request, for connection: UInt64) {
        core.withLock { core in
            core.lastTask += 1
            let number = core.lastTask
            core.tasks[connection, default: [:]][number] = Task(executorPreference: ThreadPool.shared) { [self] in
                let reply = Reply(message: await request.perform().message(request.number), session: request.session)
                // The event loop is left after this function, so the task is in the table by then.
                request.session.eventLoop.execute { [self] in finished(reply, number, for: connection) }
            }
        }
    }

    private func finished(_ reply: Reply, _ task: Int, for connection: UInt64) {
        let answer = core.withLock { core in
            core.tasks[connection]?[task] = nil
            if core.tasks[connection]?.isEmpty == true { core.tasks[connection] = nil }
            return core.queue.finished(reply, for: connection)
        }
        send(answer, to: connection)
    }

    private func send(_ first: Reply?, to connection: UInt64) {
        var next = first
        while let reply = next, case .added = reply.session.addToSession(reply.message) {
            reply.session.flushSoon()
            next = core.withLock { $0.queue.sent(to: connection) }
        }
    }

    private func refuse(_ request: Request, _ reason: String) {
        Self.answer(request.number, OperationAnswer(.busy, reason), on: request.session)
    }

    /// Answers a request that takes no place. Call it on the event loop.
    static func answer(_ request: UInt64, _ answer: OperationAnswer, on session: Session) {
        if case .noRoom = session.addToSession(answer.message(request)) { return session.abort(.unreadAnswers) }
        session.flushSoon()
    }
}
