import LatticeConcurrency
import LatticeTransport

extension ActorNode {
    /// How many times the calls of a session are looked at within the limit of one call. So it is kept to an eighth.
    private static let looksPerLimit = 8

    /// Looks, as long as a session is open, whether a call of an actor that was sent over it has had no answer for too
    /// long. On the event loop.
    ///
    /// A call that is answered with a stream has its answer when the stream begins.
    ///
    /// - Parameters:
    ///   - limit: How long a call may have no answer.
    ///   - onPassed: Called once, on the event loop, when one has had none for longer.
    package func watchCalls(over session: Session, limit: Duration, onPassed: @escaping @Sendable () -> Void) {
        guard let link = core.withLock({ $0.link(over: session)?.id }) else { return }
        look(link, session.eventLoop, CallAge(), limit, onPassed)
    }

    private func look(
        _ link: SessionID,
        _ eventLoop: any EventLoop,
        _ age: CallAge,
        _ limit: Duration,
        _ onPassed: @escaping @Sendable () -> Void
    ) {
        let calls = core.withLock { $0.table.isOpen(link) ? $0.table.oldestCall(on: link) : nil }
        guard let calls else { return }
        var age = age
        guard age.look(oldest: calls.oldest, last: calls.last, at: .now) < limit else { return onPassed() }
        eventLoop.after(milliseconds: max((limit / Self.looksPerLimit).milliseconds, 1)) { [weak self, age] in
            self?.look(link, eventLoop, age, limit, onPassed)
        }
    }
}
