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
    /// What else is known of that.
    public let report: CrashReport?
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
    fileprivate struct Kept {
        let event: QuarantinedEvent
        let name: EventName
        /// Gone once the instance is closed.
        weak var channel: ChannelClient?
    }

    fileprivate struct Core {
        var events: Deque<Kept> = []
        var bytes = 0
        var lastID: UInt64 = 0
    }

    /// Events that are kept; of more the oldest is dropped.
    public static let maximumEvents = 1024
    /// Bytes of their actions, and of the lines in their reports; of more the oldest are dropped.
    public static let maximumBytes = 64 << 20

    private let core = Locked(Core())

    init() {}

    /// What is kept, oldest first.
    public var events: [QuarantinedEvent] { core.withLock { $0.events.map(\.event) } }

    /// Sends an event again, under the name that it had, and forgets it if it is taken. Whoever sent it first has had
    /// its outcome, and hears nothing of this.
    ///
    /// - Returns: Ends as the event does this time, which may be in quarantine again; nil if it is not kept any more,
    ///   or its instance was closed.
    @discardableResult
    public func retry(_ event: QuarantinedEvent) -> EventTask? {
        guard let kept = take(event), let channel = kept.channel else { return nil }
        let task = EventTask(completion: channel.sendAgain(event.action, as: kept.name), id: event.event)
        // Not taken, as the worker was given up or too much waits for it.
        if case .rejected = task.outcome { _ = core.withLock { $0.add(kept) } }
        return task
    }

    /// Forgets an event.
    ///
    /// - Returns: Whether it was kept.
    @discardableResult
    public func drop(_ event: QuarantinedEvent) -> Bool { take(event) != nil }

    private func take(_ event: QuarantinedEvent) -> Kept? {
        core.withLock { core in
            guard let index = core.events.firstIndex(where: { $0.event.id == event.id }) else { return nil }
            core.bytes -= event.bytes
            return core.events.remove(at: index)
        }
    }

    /// - Parameter sender: Whose event it is, if nobody else's.
    func add(
        _ poisoned: PoisonedEvent,
        sender: EventSender,
        _ cause: Interruption.Cause,
        _ report: CrashReport?,
        logger: Logger
    ) {
        // It keeps its name as a new event, too.
        let name = poisoned.name ?? sender.name(of: poisoned.number, on: poisoned.channel.number)
        let id = EventID(name, of: poisoned.channel.subject)
        let dropped = core.withLock { core in
            core.lastID += 1
            let event = QuarantinedEvent(
                id: core.lastID,
                event: id,
                lives: poisoned.lives,
                cause: cause,
                report: report,
                action: poisoned.action
            )
            return core.add(Kept(event: event, name: name, channel: poisoned.channel))
        }
        logger.error("event \(id) goes to quarantine: it has ended the lives \(poisoned.lives) of its worker: \(cause)")
        for event in dropped { logger.warning("event \(event.event) is dropped, as too much is in quarantine") }
    }
}

extension Quarantine.Core {
    /// - Returns: What is dropped for it.
    @discardableResult
    fileprivate mutating func add(_ kept: Quarantine.Kept) -> [QuarantinedEvent] {
        events.append(kept)
        bytes += kept.event.bytes
        var dropped: [QuarantinedEvent] = []
        while events.count > Quarantine.maximumEvents || bytes > Quarantine.maximumBytes,
            let oldest = events.popFirst()?.event
        {
            bytes -= oldest.bytes
            dropped.append(oldest)
        }
        return dropped
    }
}

extension QuarantinedEvent {
    /// What counts for the bytes that are kept.
    fileprivate var bytes: Int { action.count + (report?.output.reduce(0) { $0 + $1.utf8.count } ?? 0) }
}
