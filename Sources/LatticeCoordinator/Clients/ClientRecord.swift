import LatticeConcurrency
import LatticeCore
import LatticeSession

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

    private let core = Locked(Core())
    /// Who sends the events of the client.
    private let sender: EventSender
    /// Whether the client can come back.
    private let isKept: Bool

    /// - Parameter identity: What the client calls itself. Without a name of its own it gets one for this connection.
    init(identity: [UInt8]) {
        sender = EventSender(identity) ?? .random()
        isKept = !identity.isEmpty
    }

    var mirrors: [Mirror] { core.withLock { Array($0.mirrors.values) } }

    /// The mirror of a channel.
    ///
    /// - Parameters:
    ///   - key: What is opened.
    ///   - record: The mirror that the client comes back to; another one is made unless it is here.
    ///   - make: Makes one, with the name that the client can come back to it by.
    /// - Returns: The mirror, and the one whose place it takes; nil if the client has too many.
    func mirror(
        _ number: UInt32,
        of key: FeatureRegistry.Key,
        continuing record: UInt64?,
        make: (_ sender: EventSender, _ record: UInt64?) -> Mirror
    ) -> (mirror: Mirror, replaced: Mirror?)? {
        core.withLock { core in
            let old = core.mirrors[number]
            if let old, let record, old.record == record, old.key == key { return (old, nil) }
            guard old != nil || core.mirrors.count < Self.maximumChannels else { return nil }
            let mirror = make(sender, isKept ? .random(in: 1...(.max)) : nil)
            core.mirrors[number] = mirror
            return (mirror, old)
        }
    }

    func remove(_ number: UInt32) {
        core.withLock { $0.mirrors[number] = nil }
    }

    /// - Returns: The session whose place this one takes. Nothing of it counts any more.
    func connected(_ session: Session) -> Session? {
        let older = core.withLock { core in
            defer {
                core.session = session
                core.absentSince = nil
            }
            return core.session
        }
        if let older { for mirror in mirrors { mirror.unlink(older) } }
        return older
    }

    /// Whether this is the client's newest session.
    func isConnected(by session: Session) -> Bool { core.withLock { $0.session === session } }

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
