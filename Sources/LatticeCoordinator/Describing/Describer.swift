import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire

/// Answers the requests of tools and clients to describe the coordinator, once or again and again.
///
/// ``DescribeQueue`` decides which description is built next. It is built on a thread of the library. The event loop
/// only reads what belongs to it, in small parts, and copies the encoded rows. A subscription takes its turn in the
/// queue like a session, with at most one description at a time.
final class Describer: Sendable {
    /// A request, with the session that sent it.
    struct Request: Sendable {
        let message: DescribeMessage
        let session: Session
        /// A Boolean value that indicates whether a client has sent the request, and not a tool.
        let isOfClient: Bool
        /// Returns the reason why the sender of the request may not look into the coordinator, or nil. It may call code
        /// of the program, so it is not called on the event loop.
        let refusal: @Sendable () -> String?
        /// Returns the sections that the sender of the request may see. It is called on a thread of the library.
        let sections: @Sendable () -> [DescribedSection]
    }

    /// What takes turns in the queue.
    private enum Place: Hashable {
        /// The single requests of a session.
        case session(UInt64)
        /// A subscription of a session.
        case subscription(UInt64, of: UInt64)
    }

    /// What is built next.
    private enum Work: Sendable {
        /// The answer to a single request.
        case answer(Request)
        /// The next description of a subscription.
        case update(DescriptionSubscription, folded: UInt64)
        /// The last description of a subscription that its tool has ended.
        case end(Request)
        /// The only description of a subscription for which there is no room, with the reason.
        case refusal(Request, String)

        var request: Request {
            switch self {
            case .answer(let request), .end(let request), .refusal(let request, _): request
            case .update(let subscription, _): subscription.request
            }
        }
    }

    private struct Answer: Sendable {
        let message: DescriptionMessage
        let session: Session
    }

    private typealias Queue = DescribeQueue<Place, Work, Answer>

    private let queue = Locked(Queue())
    private let subscriptions = Locked(DescriptionSubscriptions<DescriptionSubscription>())

    /// The number of descriptions that are being built or wait for their turn.
    var count: Int { queue.withLock(\.count) }
    /// The number of subscriptions.
    var subscriptionCount: Int { subscriptions.withLock(\.count) }

    /// Handles a request. Call it on the event loop.
    ///
    /// - Parameter connection: The number of the connection of the request's session.
    /// - Throws: The violation, if the session has a subscription with this number.
    func receive(_ request: Request, of connection: UInt64) throws(WireError) {
        switch request.message.intervalMilliseconds {
        case nil: perform(queue.withLock { $0.receive(.answer(request), of: .session(connection)) })
        case 0?: end(request, of: connection)
        default: try subscribe(request, of: connection)
        }
    }

    /// Sends the descriptions that had no room. Call it on the event loop.
    func drained(_ connection: UInt64) {
        perform(queue.withLock { $0.drained(.session(connection)) })
        for number in subscriptions.withLock({ $0.numbers(of: connection) }) {
            perform(queue.withLock { $0.drained(.subscription(number, of: connection)) })
        }
    }

    /// Forgets the requests and the subscriptions of a connection that ended. Call it on the event loop.
    func ended(_ connection: UInt64) {
        queue.withLock { $0.ended(.session(connection)) }
        for number in subscriptions.withLock({ $0.numbers(of: connection) }) { remove(number, of: connection) }
    }

    // MARK: Subscriptions

    private func subscribe(_ request: Request, of connection: UInt64) throws(WireError) {
        let number = request.message.request
        let subscription = DescriptionSubscription(request)
        let addition = subscriptions.withLock {
            $0.add(subscription, as: number, of: connection, isOfClient: request.isOfClient)
        }
        switch addition {
        case .added: perform(subscription.due(), number, of: connection)
        case .isKnown: throw .unexpected(.describe, at: "a coordinator that has a subscription with its number")
        // It waits for room like an answer, so that a session with much to read is not ended.
        case .tooMany(let reason):
            perform(queue.withLock { $0.receive(.refusal(request, reason), of: .session(connection)) })
        }
    }

    /// Ends a subscription for its tool. If it has ended already, its last description is on its way. Until the session
    /// has taken that, the subscription keeps its number and its place.
    private func end(_ request: Request, of connection: UInt64) {
        let number = request.message.request
        guard let subscription = subscriptions.withLock({ $0[number, of: connection] }), subscription.end() else {
            return
        }
        perform(
            queue.withLock { queue in
                // A description that was not sent is dropped.
                queue.ended(.subscription(number, of: connection))
                return queue.receive(.end(request), of: .subscription(number, of: connection))
            }
        )
    }

    /// Removes a subscription, and drops the description that is being built for it.
    private func remove(_ number: UInt64, of connection: UInt64) {
        guard let subscription = subscriptions.withLock({ $0.remove(number, of: connection) }) else { return }
        _ = subscription.end()
        queue.withLock { $0.ended(.subscription(number, of: connection)) }
    }

    private func perform(_ output: SubscriptionPace.Output?, _ number: UInt64, of connection: UInt64) {
        guard let output, let subscription = subscriptions.withLock({ $0[number, of: connection] }) else { return }
        switch output {
        case .build(let folded):
            let work = Work.update(subscription, folded: folded)
            perform(queue.withLock { $0.receive(work, of: .subscription(number, of: connection)) })
        case .wait(let time):
            subscription.wait(until: time) { [self, weak subscription] in
                guard let subscription else { return }
                perform(subscription.due(), number, of: connection)
            }
        }
    }

    /// Notes that the session has taken a description of a subscription.
    private func sent(_ message: DescriptionMessage, _ number: UInt64, of connection: UInt64) {
        guard message.code == .described else {
            // An error is the last description.
            remove(number, of: connection)
            return
        }
        let subscription = subscriptions.withLock { $0[number, of: connection] }
        perform(subscription?.sent(message), number, of: connection)
    }

    // MARK: Building

    private func perform(_ outputs: [Queue.Output]) {
        for output in outputs {
            switch output {
            case .build(let work, let place): build(work, for: place)
            case .send(let answer, let place):
                guard case .added = answer.session.addToSession(answer.message) else { break }
                answer.session.flushSoon()
                perform(queue.withLock { $0.sent(to: place) })
                if case .subscription(let number, let connection) = place {
                    sent(answer.message, number, of: connection)
                }
            case .refuse(let work, _):
                let maximum = Queue.maximumPerSession
                refuse(
                    work.request,
                    "\(maximum) requests of this session are not answered yet, its maximum. Read an answer before you"
                        + " ask again."
                )
            }
        }
    }

    /// Builds an answer. The task is unstructured and ends with the answer, which takes milliseconds.
    private func build(_ work: Work, for place: Place) {
        Task(executorPreference: ThreadPool.shared) { [self] in
            let session = work.request.session
            let answer = Answer(message: await message(of: work), session: session)
            session.eventLoop.execute { [self] in
                perform(queue.withLock { $0.built(answer, for: place) })
            }
        }
    }

    private func message(of work: Work) async -> DescriptionMessage {
        let request = work.request
        let number = request.message.request
        if case .end = work {
            return DescriptionMessage(request: number, .ended, reason: "The tool has ended the subscription.")
        }
        if case .refusal(_, let reason) = work {
            return DescriptionMessage(request: number, .busy, reason: reason)
        }
        if let reason = request.refusal() { return DescriptionMessage(request: number, .refused, reason: reason) }
        let time = ContinuousClock.now
        let result = await DescribedSection.result(of: request.message, from: request.sections())
        guard case .update(let subscription, let folded) = work, case .page(let page) = result else {
            return result.message(number)
        }
        return subscription.message(page, at: time, folded: folded)
    }

    private func refuse(_ request: Request, _ reason: String) {
        let answer = DescriptionMessage(request: request.message.request, .busy, reason: reason)
        if case .noRoom = request.session.addToSession(answer) { return request.session.abort(.unreadAnswers) }
        request.session.flushSoon()
    }
}
