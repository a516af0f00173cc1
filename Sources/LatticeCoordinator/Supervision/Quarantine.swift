import DequeModule
import LatticeConcurrency
public import LatticeCore
import LatticeHosting
import LatticeSession
import Logging

/// An event that was taken out, since lives of its worker have ended while it was the only one on its way.
public struct QuarantinedEvent: Sendable, Identifiable {
    /// Its number among those that this coordinator has taken out.
    public let id: UInt64
    /// Its name in the world, which it keeps if it is sent again.
    public let event: EventID
    /// The lives of the worker that it has ended, oldest first.
    public let lives: [UInt64]
    /// How the last of them ended.
    public let cause: Interruption.Cause
    /// Its action, encoded as CBOR.
    public let action: [UInt8]
}

/// Where a coordinator keeps events that have ended their worker twice, for whoever looks into them. Any thread.
///
/// ```swift
/// for event in coordinator.quarantine.events {
///     print(event.event.feature, event.cause)
///     await coordinator.quarantine.retry(event)?.finish()
/// }
/// ```
public final class Quarantine: Sendable {
    private struct Core {
        var events: Deque<(event: QuarantinedEvent, poisoned: PoisonedEvent)> = []
        var bytes = 0
        var lastID: UInt64 = 0
    }

    /// Events that are kept; of more the oldest is dropped.
    public static let maximumEvents = 1024
    /// Bytes of their actions; of more the oldest are dropped.
    public static let maximumBytes = 64 << 20

    private let core = Locked(Core())

    init() {}

    /// What is kept, oldest first.
    public var events: [QuarantinedEvent] { core.withLock { $0.events.map(\.event) } }

    /// Sends an event again, under the name that it had, and forgets it. Whoever sent it first has had its outcome, and
    /// hears nothing of this.
    ///
    /// - Returns: Ends as the event does this time, which may be in quarantine; nil if it is not kept any more.
    @discardableResult
    public func retry(_ event: QuarantinedEvent) -> EventTask? {
        take(event).map { EventTask(completion: $0.channel.sendAgain($0), id: event.event) }
    }

    /// Forgets an event.
    ///
    /// - Returns: Whether it was kept.
    @discardableResult
    public func drop(_ event: QuarantinedEvent) -> Bool { take(event) != nil }

    private func take(_ event: QuarantinedEvent) -> PoisonedEvent? {
        core.withLock { core in
            guard let index = core.events.firstIndex(where: { $0.event.id == event.id }) else { return nil }
            core.bytes -= event.action.count
            return core.events.remove(at: index).poisoned
        }
    }

    /// - Parameter sender: Whose event it is, if nobody else's.
    func add(_ poisoned: PoisonedEvent, sender: EventSender, cause: Interruption.Cause, logger: Logger) {
        let own = EventName.Origin(sender: sender.value, channel: poisoned.channel.number)
        var poisoned = poisoned
        let name = poisoned.name ?? EventName(origin: own, number: poisoned.number)
        // It keeps it as a new event, too.
        poisoned.name = name
        let id = EventID(name, of: poisoned.channel.subject)
        let dropped = core.withLock { [kept = poisoned] core -> [QuarantinedEvent] in
            core.lastID += 1
            let event = QuarantinedEvent(
                id: core.lastID,
                event: id,
                lives: poisoned.lives,
                cause: cause,
                action: poisoned.action
            )
            core.events.append((event, kept))
            core.bytes += poisoned.action.count
            var dropped: [QuarantinedEvent] = []
            while core.events.count > Self.maximumEvents || core.bytes > Self.maximumBytes,
                let oldest = core.events.popFirst()?.event
            {
                core.bytes -= oldest.action.count
                dropped.append(oldest)
            }
            return dropped
        }
        logger.error("event \(id) goes to quarantine: it has ended the lives \(poisoned.lives) of its worker: \(cause)")
        for event in dropped { logger.warning("event \(event.event) is dropped, as too much is in quarantine") }
    }
}

extension EventID {
    fileprivate init(_ name: EventName, of subject: ChannelClient.Subject) {
        let origin = EventOrigin(
            sender: EventSender(name.origin.sender),
            channel: name.origin.channel,
            feature: subject.feature,
            instance: subject.instance
        )
        self.init(origin: origin, number: name.number)
    }
}
