import DequeModule
import LatticeConcurrency
public import LatticeCore
import LatticeHosting
import LatticeSession

/// An event that was set aside because it ended its worker repeatedly.
public struct QuarantinedEvent: Sendable, Identifiable {
    /// The number of the event among those that this coordinator has quarantined.
    public let id: UInt64
    /// The unique identity of the event. It stays the same if the event is sent again.
    public let event: EventID
    /// The incarnations of the worker that the event ended, oldest first.
    public let incarnations: [UInt64]
    /// How the last of these incarnations ended.
    public let cause: Interruption.Cause
    /// The crash report of the last incarnation, if one exists.
    public let report: CrashReport?
    /// The action of the event, encoded as CBOR.
    public let action: [UInt8]
}

/// The events of a coordinator that ended their worker twice, kept for inspection. You can use it from any thread.
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
        let cause: EventMetadata.Cause?
        /// Nil after the instance was closed.
        weak var channel: ChannelClient?
    }

    fileprivate struct Core {
        var events: Deque<Kept> = []
        var bytes = 0
        var lastID: UInt64 = 0
    }

    /// The maximum number of events that are kept. When it is exceeded, the oldest event is dropped.
    public static let maximumEvents = 1024
    /// The maximum number of bytes that are kept, in actions and in the output lines of crash reports. When it is
    /// exceeded, the oldest events are dropped.
    public static let maximumBytes = 64 << 20

    private let core = Locked(Core())

    init() {}

    /// The quarantined events, oldest first.
    public var events: [QuarantinedEvent] { core.withLock { $0.events.map(\.event) } }

    /// Sends an event again under its original identity, and removes it from quarantine if the worker's channel accepts
    /// it. The original sender has already received its outcome and gets no second one.
    ///
    /// - Parameter event: The event to send again.
    /// - Returns: A task that ends with this attempt of the event, or nil if the event is not kept any more or its
    ///   instance was closed. The event may be quarantined again.
    @discardableResult
    public func retry(_ event: QuarantinedEvent) -> EventTask? {
        guard let kept = take(event), let channel = kept.channel else { return nil }
        var name = kept.name
        // The connection of the sender may have ended, and the facts about its process with it.
        name.origin.connection = 0
        let task = EventTask(completion: channel.sendAgain(event.action, as: name, kept.cause), id: event.event)
        // The event was not accepted, because the worker was given up or too many events wait for it.
        if case .rejected = task.outcome { _ = core.withLock { $0.add(kept) } }
        return task
    }

    /// Removes an event from quarantine without sending it.
    ///
    /// - Parameter event: The event to remove.
    /// - Returns: Whether the event was in quarantine.
    @discardableResult
    public func drop(_ event: QuarantinedEvent) -> Bool { take(event) != nil }

    private func take(_ event: QuarantinedEvent) -> Kept? {
        core.withLock { core in
            guard let index = core.events.firstIndex(where: { $0.event.id == event.id }) else { return nil }
            core.bytes -= event.bytes
            return core.events.remove(at: index)
        }
    }

    /// - Parameters:
    ///   - sender: The sender of the event, used if the event has no name of another sender.
    ///   - member: The worker that the event has ended.
    func add(
        _ poisoned: PoisonedEvent,
        sender: EventSender,
        of member: RuntimeEvent.Member,
        _ cause: Interruption.Cause,
        _ report: CrashReport?,
        _ events: RuntimeEvents
    ) {
        // The event keeps its name if it is sent again.
        let name = poisoned.name ?? sender.name(of: poisoned.number, on: poisoned.channel.number)
        let id = EventID(name, of: poisoned.channel.subject)
        let dropped = core.withLock { core in
            core.lastID += 1
            let event = QuarantinedEvent(
                id: core.lastID,
                event: id,
                incarnations: poisoned.incarnations,
                cause: cause,
                report: report,
                action: poisoned.action
            )
            return core.add(Kept(event: event, name: name, cause: poisoned.cause, channel: poisoned.channel))
        }
        events.emit(
            .eventQuarantined,
            .eventQuarantined(id, of: member, incarnations: poisoned.incarnations, cause: cause)
        )
        for event in dropped {
            events.emit(.quarantineOverflowed, .quarantineOverflowed(event.event, of: member))
        }
    }
}

extension Quarantine.Core {
    /// - Returns: The events that are dropped to make room.
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
    /// The bytes that count against the maximum.
    fileprivate var bytes: Int { action.count + (report?.output.reduce(0) { $0 + $1.utf8.count } ?? 0) }
}
