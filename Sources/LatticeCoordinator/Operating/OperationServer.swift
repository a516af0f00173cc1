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

    private let queue = Locked(Queue())

    /// Handles a request. Call it on the event loop.
    ///
    /// - Parameter connection: The number of the connection of the request's session.
    func receive(_ request: Request, of connection: UInt64) {
        switch queue.withLock({ $0.receive(from: connection) }) {
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
        send(queue.withLock { $0.drained(connection) }, to: connection)
    }

    /// Forgets the requests of a connection that ended. Acts that have begun continue.
    func ended(_ connection: UInt64) {
        queue.withLock { $0.ended(connection) }
    }

    /// Carries out an act. The task is unstructured, because the act continues if the session ends. Each act has a time
    /// limit of its own.
    private func begin(_ request: Request, for connection: UInt64) {
        Task(executorPreference: ThreadPool.shared) { [self] in
            let reply = Reply(message: await request.perform().message(request.number), session: request.session)
            request.session.eventLoop.execute { [self] in
                send(queue.withLock { $0.finished(reply, for: connection) }, to: connection)
            }
        }
    }

    private func send(_ first: Reply?, to connection: UInt64) {
        var next = first
        while let reply = next, case .added = reply.session.addToSession(reply.message) {
            reply.session.flushSoon()
            next = queue.withLock { $0.sent(to: connection) }
        }
    }

    private func refuse(_ request: Request, _ reason: String) {
        let answer = OperationAnswer(.busy, reason).message(request.number)
        if case .noRoom = request.session.addToSession(answer) { return request.session.abort(.unreadAnswers) }
        request.session.flushSoon()
    }
}
