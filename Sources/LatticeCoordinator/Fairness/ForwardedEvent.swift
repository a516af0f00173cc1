import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// An event of a client, on its way to the worker and back.
final class ForwardedEvent: EventPromise, RunningEvent, @unchecked Sendable {
    // Unchecked, because `phase` and `timer` are used on the event loop only and everything else is constant. They are
    // not in a `LoopBound`, which would allocate memory for each event.

    /// An event that waits to be sent.
    struct Waiting {
        /// The number that identifies the event among the waiting ones.
        let place: UInt64
        let action: [UInt8]
        let metadata: EventMetadata
    }

    enum Phase {
        /// The event is being sent and has no number yet.
        case starting
        /// The event was not sent yet.
        case waiting(Waiting)
        /// The event was sent and has this number on the channel to the worker.
        case sent(UInt64)
        case ended
    }

    /// The number of the event on the client's channel.
    let number: UInt64
    /// The name of the event, which is the same in all processes.
    let name: EventName
    /// The time at which the event arrived, on the clock of `MonotonicTime.withSleep`.
    let arrival = MonotonicTime.withSleep
    /// The time after which the event is rejected or cancelled.
    let deadline: MonotonicDeadline
    /// What the client states as the cause of the event. The trace context is not kept while the event runs.
    let cause: EventMetadata.Cause?
    /// The number of bytes of the action and the metadata.
    let bytes: Int
    let client: EventForwarder
    let server: ChannelServer
    /// The span of the event in this process, if the event is traced.
    let span: (any OpenSpan)?
    var phase = Phase.starting
    /// The timer of the event's deadline, or nil if the event has no deadline or has ended.
    var timer: Timers.Key?

    init(
        _ number: UInt64,
        as name: EventName,
        _ metadata: EventMetadata,
        bytes: Int,
        of client: EventForwarder,
        on server: ChannelServer,
        span: (any OpenSpan)? = nil
    ) {
        deadline = metadata.deadline
        cause = metadata.cause
        self.number = number
        self.name = name
        self.bytes = bytes
        self.client = client
        self.server = server
        self.span = span
    }

    /// Called on any thread, because the program may close the instance.
    func ended(_ outcome: WireOutcome, report: TerminationReport?) {
        client.events.ended(self, outcome, report?.crash)
    }

    /// The place of the event among all events of its instance, or nil until it is sent to the worker.
    var order: UInt64? { if case .sent(let number) = phase { number } else { nil } }

    /// The facts about the process that sent the event.
    var sender: SenderFacts? { client.client.facts }

    /// A Boolean value that indicates whether the event was not sent yet.
    var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    func cancel(_ cancellation: WireCancellation) {
        client.events.cancel(self, cancellation)
    }
}
