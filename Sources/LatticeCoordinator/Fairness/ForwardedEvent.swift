import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// An event of a client, on its way to the worker and back.
final class ForwardedEvent: EventPromise, RunningEvent, @unchecked Sendable {
    // Unchecked: `phase` and `timer` are touched under the lock of `ClientEvents` only, all else is `let`.

    /// An event that waits for its turn.
    struct Waiting {
        /// What names it among those that wait.
        let place: UInt64
        let action: [UInt8]
        let name: EventName
        let terms: EventMetadata
    }

    enum Phase {
        /// It is being sent on, and has no number yet; a cancel is kept until it has.
        case starting(isCancelled: Bool)
        /// It was never sent.
        case waiting(Waiting)
        /// It has this number on the channel to the worker.
        case sent(UInt64)
        case ended
    }

    /// What to do about a cancelled event.
    enum Cancelling {
        /// It never left: it ends here.
        case end(place: UInt64)
        /// Tell the worker.
        case transmit(UInt64)
        /// It has ended, or its cancel follows when it has a number.
        case nothing
    }

    /// Its number on the channel that it came on.
    let number: UInt64
    /// Of its action.
    let bytes: Int
    let client: EventForwarder
    let server: ChannelServer
    var phase = Phase.starting(isCancelled: false)
    /// Goes off at its deadline, unless it has ended by then.
    var timer: Timers.Key?

    init(_ number: UInt64, bytes: Int, of client: EventForwarder, on server: ChannelServer) {
        self.number = number
        self.bytes = bytes
        self.client = client
        self.server = server
    }

    // MARK: Under the lock

    /// It is its turn.
    ///
    /// - Returns: What to send; nil if it does not wait.
    func start() -> Waiting? {
        guard case .waiting(let waiting) = phase else { return nil }
        phase = .starting(isCancelled: false)
        return waiting
    }

    /// - Returns: Whether it was cancelled meanwhile.
    func sent(as number: UInt64) -> Bool {
        // It may have ended on another thread by now.
        guard case .starting(let isCancelled) = phase else { return false }
        phase = .sent(number)
        return isCancelled
    }

    func cancelling() -> Cancelling {
        switch phase {
        case .starting:
            phase = .starting(isCancelled: true)
            return .nothing
        case .waiting(let waiting):
            phase = .ended
            return .end(place: waiting.place)
        case .sent(let number): return .transmit(number)
        case .ended: return .nothing
        }
    }

    // MARK: Any thread

    func ended(_ outcome: WireOutcome, report: TerminationReport?) {
        client.events.ended(self, outcome, report?.crash)
    }

    func cancel() {
        client.events.cancel(self)
    }
}
