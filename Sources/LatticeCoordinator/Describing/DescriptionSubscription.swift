import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire

/// A subscription of a session: what its tool has, and when it gets the next description.
///
/// ``SubscriptionPace`` decides when a description is built, and ``SentRows`` which rows it has.
final class DescriptionSubscription: Sendable {
    let request: Describer.Request
    private let pace: Locked<(pace: SubscriptionPace, timer: EventLoopTimer?)>
    private let rows = Locked(SentRows())

    init(_ request: Describer.Request) {
        self.request = request
        pace = Locked((SubscriptionPace(SubscriptionLimits(request.message), now: .now), nil))
    }

    /// Returns what to do because a description is due. Call it on the event loop.
    func due() -> SubscriptionPace.Output? {
        let unwritten = request.session.unwrittenBytes
        return pace.withLock { $0.pace.due(at: .now, unwritten: unwritten) }
    }

    /// Returns what to do after the session has taken a description. Call it on the event loop.
    func sent(_ message: DescriptionMessage) -> SubscriptionPace.Output? {
        let bytes = message.rows.count + (message.places?.count ?? 0)
        return pace.withLock { $0.pace.sent(bytes, at: .now) }
    }

    /// Calls a closure at a time, unless the subscription ends before. Call it on the event loop.
    func wait(until time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let timer = request.session.eventLoop.at(time, body)
        pace.withLock { $0.timer = timer }
    }

    /// Ends the subscription, so that no further description is due. Call it on the event loop.
    ///
    /// - Returns: Whether it had not ended yet.
    func end() -> Bool {
        let (timer, isFirst) = pace.withLock { ($0.timer.take(), $0.pace.end()) }
        if let timer { request.session.eventLoop.cancel(timer) }
        return isFirst
    }

    /// Returns the message for a page. Call it on a thread of the library, for one page at a time.
    func message(_ page: DescribedPage, at time: ContinuousClock.Instant, folded: UInt64) -> DescriptionMessage {
        rows.withLock { $0.receive(page, at: time, request: request.message.request, folded: folded) }
    }
}
