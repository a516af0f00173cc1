import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire

/// Answers the requests of tools and clients to describe the coordinator.
///
/// ``DescribeQueue`` decides which request is answered next. Answers are built on a thread of the library. The event
/// loop only reads what belongs to it, in small parts, and copies the encoded rows.
final class Describer: Sendable {
    /// A request, with the session that sent it.
    struct Request: Sendable {
        let message: DescribeMessage
        let session: Session
        /// Returns the reason why the sender of the request may not look into the coordinator, or nil. It may call code
        /// of the program, so it is not called on the event loop.
        let refusal: @Sendable () -> String?
        /// Returns the sections that the sender of the request may see. It is called on a thread of the library.
        let sections: @Sendable () -> [DescribedSection]
    }

    private struct Answer: Sendable {
        let message: DescriptionMessage
        let session: Session
    }

    private let queue = Locked(DescribeQueue<UInt64, Request, Answer>())

    /// The number of requests that are not answered.
    var count: Int { queue.withLock(\.count) }

    /// Handles a request. Call it on the event loop.
    ///
    /// - Parameter connection: The number of the connection of the request's session.
    func receive(_ request: Request, of connection: UInt64) {
        perform(queue.withLock { $0.receive(request, of: connection) })
    }

    /// Sends the answer that had no room. Call it on the event loop.
    func drained(_ connection: UInt64) {
        perform(queue.withLock { $0.drained(connection) })
    }

    /// Forgets the requests of a connection that ended.
    func ended(_ connection: UInt64) {
        queue.withLock { $0.ended(connection) }
    }

    private func perform(_ outputs: [DescribeQueue<UInt64, Request, Answer>.Output]) {
        for output in outputs {
            switch output {
            case .build(let request, let connection): build(request, for: connection)
            case .send(let answer, let connection):
                guard case .added = answer.session.addToSession(answer.message) else { break }
                answer.session.flushSoon()
                perform(queue.withLock { $0.sent(to: connection) })
            case .refuse(let request, _): refuse(request)
            }
        }
    }

    /// Builds an answer. The task is unstructured and ends with the answer, which takes milliseconds.
    private func build(_ request: Request, for connection: UInt64) {
        Task(executorPreference: ThreadPool.shared) { [self] in
            let answer = Answer(message: await answer(to: request), session: request.session)
            request.session.eventLoop.execute { [self] in
                perform(queue.withLock { $0.built(answer, for: connection) })
            }
        }
    }

    private func answer(to request: Request) async -> DescriptionMessage {
        if let reason = request.refusal() {
            return DescriptionMessage(request: request.message.request, .refused, reason: reason)
        }
        return await DescribedSection.answer(request.message, from: request.sections())
    }

    private func refuse(_ request: Request) {
        let maximum = DescribeQueue<UInt64, Request, Answer>.maximumPerSession
        let answer = DescriptionMessage(
            request: request.message.request,
            .busy,
            reason:
                "\(maximum) requests of this session are not answered yet, its maximum. Read an answer before you ask"
                + " again."
        )
        if case .noRoom = request.session.addToSession(answer) { return request.session.abort(.unreadAnswers) }
        request.session.flushSoon()
    }
}
