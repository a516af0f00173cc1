import DequeModule
import LatticeCore
import LatticeHosting

/// Knows which clients have one instance open, and decides when the feature is informed.
///
/// A client can have several channels on a connection, and its next connection can begin before the coordinator has
/// noticed the end of the last one. A client joins with its first channel and leaves with its last one. If another
/// process comes under the identity of a client, the client is lost first.
struct PresenceState {
    /// What the owner does next.
    enum Output: Equatable {
        /// Report to the feature.
        case report(Presence)
        /// Call ``timerFired(_:)`` with this number after the delay in milliseconds.
        case wait(milliseconds: Int, timer: Int)
    }

    /// When the next report may be made.
    private enum Phase: Equatable {
        /// At once.
        case ready
        /// After this timer, because the last report is recent or was rejected.
        case waiting(timer: Int)
        /// Never, because the instance is closed.
        case ended
    }

    private struct Entry {
        let sender: EventSender
        var client: RuntimeEvent.Client
        /// The number of channels of each connection of the process.
        var channels: [UInt32: Int]
    }

    /// The time in milliseconds within which changes are collected after a report.
    static let pace = 10
    /// The time in milliseconds after which a rejected report is made again.
    static let retryDelay = 1_000

    private var phase = Phase.ready
    private var timers = 0
    /// The clients in the order in which they joined.
    private var entries: [Entry] = []
    /// The changes that are not reported.
    private var changes: Deque<Presence.Change> = []

    /// A client has opened a channel to the instance.
    mutating func joined(_ client: OpeningClient) -> [Output] {
        let described = client.described
        if let index = entries.firstIndex(where: { $0.sender == client.sender }) {
            if entries[index].client == described {
                entries[index].channels[client.connection, default: 0] += 1
                return []
            }
            note(.lost(entries.remove(at: index).client))
        }
        entries.append(Entry(sender: client.sender, client: described, channels: [client.connection: 1]))
        note(.joined(described))
        return report()
    }

    /// A channel of a client that had joined is closed, or its connection has ended.
    ///
    /// - Parameter isLost: Whether the connection ended without a goodbye.
    mutating func left(_ client: OpeningClient, isLost: Bool) -> [Output] {
        // The client is unknown if another process has replaced it since.
        guard let index = entries.firstIndex(where: { $0.sender == client.sender }),
            let count = entries[index].channels[client.connection]
        else { return [] }
        entries[index].channels[client.connection] = count == 1 ? nil : count - 1
        guard entries[index].channels.isEmpty else { return [] }
        let gone = entries.remove(at: index).client
        note(isLost ? .lost(gone) : .left(gone))
        return report()
    }

    /// The time of a timer has passed.
    mutating func timerFired(_ timer: Int) -> [Output] {
        guard phase == .waiting(timer: timer) else { return [] }
        phase = .ready
        return report()
    }

    /// The worker could not accept a report. It is made again, together with what has changed meanwhile.
    mutating func rejected(_ presence: Presence) -> [Output] {
        guard phase != .ended else { return [] }
        changes.prepend(contentsOf: presence.changes)
        trim()
        return [wait(Self.retryDelay)]
    }

    /// The instance is closed.
    mutating func end() {
        phase = .ended
        changes = []
    }

    private mutating func note(_ change: Presence.Change) {
        changes.append(change)
        trim()
    }

    private mutating func trim() {
        changes.removeFirst(max(0, changes.count - Presence.maximumChanges))
    }

    private mutating func report() -> [Output] {
        guard phase == .ready, !changes.isEmpty else { return [] }
        let presence = Presence(clients: entries.map(\.client), changes: Array(changes))
        changes = []
        return [.report(presence), wait(Self.pace)]
    }

    private mutating func wait(_ milliseconds: Int) -> Output {
        timers += 1
        phase = .waiting(timer: timers)
        return .wait(milliseconds: milliseconds, timer: timers)
    }
}
