import LatticeCore
import LatticeSession
import Synchronization

/// What a coordinator keeps of one client, connected or not: the channels it opened.
final class ClientRecord: Sendable {
    private struct Core {
        /// By the numbers of the channels, which a client keeps over reconnects.
        var mirrors: [UInt32: Mirror] = [:]
        var session: Session?
        /// When its connection broke; nil while it is connected.
        var absentSince: ContinuousClock.Instant?
    }

    /// Channels that one client may have open.
    static let maximumChannels = 4096

    private let core = Mutex(Core())
    /// Who sends the events of the client.
    private let sender: EventSender

    /// - Parameter identity: What the client calls itself. Without a name of its own it gets one for this connection.
    init(identity: [UInt8]) {
        sender = EventSender(identity) ?? .random()
    }

    var mirrors: [Mirror] { core.withLock { Array($0.mirrors.values) } }

    /// The mirror of a channel, made if this is the first time; nil if the client has too many.
    func mirror(_ number: UInt32, make: (EventSender) -> Mirror) -> Mirror? {
        core.withLock { core in
            if let mirror = core.mirrors[number] { return mirror }
            guard core.mirrors.count < Self.maximumChannels else { return nil }
            let mirror = make(sender)
            core.mirrors[number] = mirror
            return mirror
        }
    }

    func remove(_ number: UInt32) {
        core.withLock { $0.mirrors[number] = nil }
    }

    func connected(_ session: Session) {
        core.withLock { core in
            core.session = session
            core.absentSince = nil
        }
    }

    /// A session ended, which need not be the newest one.
    func disconnected(_ session: Session, at now: ContinuousClock.Instant) {
        for mirror in mirrors { mirror.unlink(session) }
        core.withLock { core in
            guard core.session === session else { return }
            core.session = nil
            core.absentSince = now
        }
    }

    /// When its connection broke; nil while it is connected.
    var absentSince: ContinuousClock.Instant? { core.withLock(\.absentSince) }

    func isExpired(at now: ContinuousClock.Instant, after retention: Duration) -> Bool {
        absentSince.map { $0.duration(to: now) >= retention } ?? false
    }
}
