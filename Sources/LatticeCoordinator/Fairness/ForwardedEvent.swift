import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// An event of a client, on its way to the worker and back.
final class ForwardedEvent: EventPromise, RunningEvent, @unchecked Sendable {
    // Unchecked, because `phase` and `timer` are only accessed under the lock of `ClientEvents` and everything else is
    // constant.

    /// An event that waits to be sent.
    struct Waiting {
        /// The number that identifies the event among the waiting ones.
        let place: UInt64
        let action: [UInt8]
        let metadata: EventMetadata
    }

    enum Phase {
        /// The event is being sent and has no number yet. A cancellation is kept until it has one.
        case starting(isCancelled: Bool)
        /// The event was not sent yet.
        case waiting(Waiting)
        /// The event was sent and has this number on the channel to the worker.
        case sent(UInt64)
        case ended
    }

    /// The action for a cancelled event.
    enum Cancelling {
        /// The event was never sent. It ends here.
        case end(place: UInt64)
        /// Pass the cancellation to the worker.
        case transmit(UInt64)
        /// Do nothing. The event has ended, or its cancellation follows when it has a number.
        case nothing
    }

    /// The number of the event on the client's channel.
    let number: UInt64
    /// The name of the event, which is the same in all processes.
    let name: EventName
    /// The time at which the event arrived, on the clock of `MonotonicTime.withSleep`.
    let arrival = MonotonicTime.withSleep
    /// The deadline of the event.
    let deadline: MonotonicDeadline
    /// The number of bytes of the action and the metadata.
    let bytes: Int
    let client: EventForwarder
    let server: ChannelServer
    var phase = Phase.starting(isCancelled: false)
    /// The timer of the event's deadline, or nil if the event has no deadline or has ended.
    var timer: Timers.Key?

    init(
        _ number: UInt64,
        as name: EventName,
        _ deadline: MonotonicDeadline,
        bytes: Int,
        of client: EventForwarder,
        on server: ChannelServer
    ) {
        self.deadline = deadline
        self.number = number
        self.name = name
        self.bytes = bytes
        self.client = client
        self.server = server
    }

    // MARK: Under the lock

    /// Starts a waiting event.
    ///
    /// - Returns: What to send, or nil if the event does not wait.
    func start() -> Waiting? {
        guard case .waiting(let waiting) = phase else { return nil }
        phase = .starting(isCancelled: false)
        return waiting
    }

    /// Records the number under which the event was sent.
    ///
    /// - Returns: Whether the event was cancelled in the meantime.
    func sent(as number: UInt64) -> Bool {
        // The event may have ended on another thread by now.
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
