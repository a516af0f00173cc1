import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The state that a coordinator keeps of one client, connected or not: the channels that the client opened.
final class ClientSession: Sendable {
    /// A channel and the instance that it shows.
    struct Channel: Sendable {
        let key: FeatureRegistry.Key
        let server: ChannelServer
    }

    /// A value with everything that a returning client depends on: which event numbers are used, and which outcomes are
    /// due.
    struct Snapshot: Sendable, Equatable, Codable {
        struct Channel: Sendable, Equatable, Codable {
            let key: FeatureRegistry.Key
            let record: UInt64?
            let state: ChannelServerState
            /// The numbers of the events that were accepted and have not ended, in ascending order.
            let running: [UInt64]

            /// The state of the channel for use with a different worker.
            ///
            /// Events that were running ended with the old worker, and the numbers under which events were forwarded to
            /// it are no longer valid. Outcomes that have not been sent to the client are still due.
            var restored: ChannelServerState {
                var state = state
                let unknown = WireOutcome.unknown(
                    reason:
                        "The coordinator ended before it acknowledged the event. Look at the state before you send it"
                        + " again."
                )
                for event in running { state.complete(event, event <= state.applied ? .disconnected : unknown) }
                state.release(revision: state.revision, throughForwarded: .max)
                return state
            }
        }

        let identity: [UInt8]
        /// The channels by their numbers.
        let channels: [UInt32: Channel]
    }

    private struct Core {
        /// The channels by their numbers, which a client keeps when it reconnects.
        var channels: [UInt32: Channel] = [:]
        var session: Session?
        /// The number of the connection of `session`, or of the last session.
        var connection: UInt64 = 0
        /// The facts about the process of that connection.
        var facts: SenderFacts?
        /// The time at which that connection was accepted.
        var connectedSince: ContinuousClock.Instant?
        /// The time at which the connection broke, or nil while the client is connected.
        var absentSince: ContinuousClock.Instant?
        /// The number of channels of each instance.
        var counts: [FeatureRegistry.Key: Int] = [:]
        /// The number of `open` messages that are being answered, also for channels that were closed in the meantime.
        var openings = 0
        /// A Boolean value that indicates whether the client has closed a channel whose events may still run.
        var hasAbandonedChannels = false

        @discardableResult
        mutating func remove(_ number: UInt32) -> Channel? {
            guard let channel = channels.removeValue(forKey: number) else { return nil }
            let rest = (counts[channel.key] ?? 1) - 1
            counts[channel.key] = rest == 0 ? nil : rest
            return channel
        }

        mutating func add(_ channel: Channel, as number: UInt32) {
            remove(number)
            channels[number] = channel
            counts[channel.key, default: 0] += 1
        }
    }

    /// The maximum number of channels of one client, and of its `open` messages that are being answered at a time.
    static let maximumChannels = 4096
    /// The maximum number of channels of one client to the same instance. Each state is published on each of them.
    static let maximumChannelsPerInstance = 64

    let identity: [UInt8]
    /// The identity under which the events of the client are sent.
    let sender: EventSender
    private let eventLoop: any EventLoop
    private let core: Locked<Core>

    /// - Parameter identity: The identity that the client chose. If it is empty, the client gets a sender ID for this
    ///   connection.
    init(identity: [UInt8], eventLoop: any EventLoop) {
        self.identity = identity
        self.eventLoop = eventLoop
        sender = EventSender(identity) ?? .random()
        core = Locked(Core())
    }

    /// Restores a disconnected client from the snapshot of an earlier coordinator, which ended together with its
    /// worker.
    ///
    /// Unfinished events end now. Those that were applied end `interrupted`. The others end `unknown`. The client
    /// receives these outcomes when it comes back.
    convenience init(_ snapshot: Snapshot, absentSince: ContinuousClock.Instant, eventLoop: any EventLoop) {
        self.init(identity: snapshot.identity, eventLoop: eventLoop)
        core.withLock { core in
            core.absentSince = absentSince
            for (number, channel) in snapshot.channels {
                let server = makeServer(number, channel.restored, record: channel.record)
                core.add(Channel(key: channel.key, server: server), as: number)
            }
        }
    }

    /// The current snapshot. Read it on the event loop.
    var snapshot: Snapshot {
        Snapshot(
            identity: identity,
            channels: core.withLock(\.channels).mapValues { channel in
                let (state, running) = channel.server.remembered
                return Snapshot.Channel(key: channel.key, record: channel.server.record, state: state, running: running)
            }
        )
    }

    private func makeServer(_ number: UInt32, _ state: ChannelServerState, record: UInt64?) -> ChannelServer {
        ChannelServer(number: number, state: state, sender: sender.value, record: record, eventLoop: eventLoop)
    }

    var channels: [Channel] { core.withLock { Array($0.channels.values) } }

    /// Returns the channel with a number, or nil if there is none.
    func channel(_ number: UInt32) -> Channel? { core.withLock { $0.channels[number] } }

    /// A Boolean value that indicates whether the client has closed a channel whose events may still run.
    var hasAbandonedChannels: Bool { core.withLock(\.hasAbandonedChannels) }

    /// A Boolean value that indicates whether the client has no channels, and has closed none whose events may still
    /// run.
    var hasNoChannels: Bool { core.withLock { $0.channels.isEmpty && !$0.hasAbandonedChannels } }

    /// The ID of the process of the current or last connection, if the system provides it.
    var process: Int32? { core.withLock(\.facts)?.processID }

    /// The client, as observers of the runtime see it, with the process of the current or last connection.
    var described: RuntimeEvent.Client {
        let facts = core.withLock(\.facts)
        return RuntimeEvent.Client(sender, facts ?? SenderFacts(processID: nil, userID: nil, program: nil))
    }

    /// The process, the user and the time of the current connection, or nil while the client is not connected.
    var newestConnection: (processID: Int32?, userID: UInt32?, since: ContinuousClock.Instant)? {
        core.withLock { core -> (processID: Int32?, userID: UInt32?, since: ContinuousClock.Instant)? in
            guard core.session != nil, let since = core.connectedSince else { return nil }
            return (processID: core.facts?.processID, userID: core.facts?.userID, since: since)
        }
    }

    /// The number of bytes that were sent to the client and are not in its socket yet, or nil while it is away.
    var unwrittenBytes: Int? { core.withLock(\.session)?.unwrittenBytes }

    /// The instances that the client has open, each one once.
    var openKeys: Set<FeatureRegistry.Key> {
        // A channel that the client did not open again after it came back is not open.
        let (session, channels) = core.withLock { ($0.session, Array($0.channels.values)) }
        guard let session else { return [] }
        return Set(channels.filter { $0.server.session === session }.map(\.key))
    }

    /// Returns the server of a channel that the client opens. Call `opened` when the `open` message was answered.
    ///
    /// - Parameters:
    ///   - number: The number of the channel.
    ///   - key: The instance that the client opens.
    ///   - record: The number of the server that the client continues with. A new server is created if it does not
    ///     exist.
    /// - Returns: The server, and the channels that are removed: the one that had the same number, and, if the client
    ///   has too many, those that the coordinator has closed.
    /// - Throws: The refusal, if the client has too many channels.
    func channel(
        _ number: UInt32,
        of key: FeatureRegistry.Key,
        continuing record: UInt64?
    ) throws(OpenRefused) -> (channel: ChannelServer, over: [Channel]) {
        try core.withLock { core throws(OpenRefused) in
            guard core.openings < Self.maximumChannels else {
                throw .tooMany(
                    "\(core.openings) channels of this client are being opened, its maximum. Wait for an answer before"
                        + " you open another one."
                )
            }
            let old = core.channels[number]
            if let old, let record, old.server.record == record, old.key == key, !old.server.isClosed {
                core.openings += 1
                return (old.server, [])
            }
            var over = old.map { [$0] } ?? []
            if core.channels.count >= Self.maximumChannels {
                // The coordinator has closed these channels, but the client has not.
                let closed = core.channels.filter { $0.value.server.isClosed }
                for number in closed.keys { core.remove(number) }
                over += closed.values
            }
            guard old != nil || core.channels.count < Self.maximumChannels else {
                throw .tooMany("A client has at most \(Self.maximumChannels) channels. Close some.")
            }
            let isAnother = old?.key != key
            guard !isAnother || core.counts[key, default: 0] < Self.maximumChannelsPerInstance else {
                throw .tooMany(
                    "A client has at most \(Self.maximumChannelsPerInstance) channels to the same instance. Close some,"
                        + " or use one for all."
                )
            }
            if !over.isEmpty { core.hasAbandonedChannels = true }
            core.openings += 1
            // A client without an identity cannot come back.
            let server = makeServer(number, .forwarding(), record: identity.isEmpty ? nil : .random(in: 1...(.max)))
            core.add(Channel(key: key, server: server), as: number)
            return (server, over)
        }
    }

    /// Notes that an `open` message was answered, positively or not.
    func opened() {
        core.withLock { $0.openings -= 1 }
    }

    /// Removes a channel.
    ///
    /// - Parameter server: The server that the channel must have, so that a newer channel with the same number is kept,
    ///   or nil to remove the channel with any server.
    @discardableResult
    func remove(_ number: UInt32, servedBy server: ChannelServer? = nil) -> Channel? {
        core.withLock { core in
            guard server == nil || core.channels[number]?.server === server else { return nil }
            return core.remove(number)
        }
    }

    /// Adopts a new session, which sent hello.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - connection: The number of its connection. Later connections have higher numbers. The coordinator may notice
    ///     the end of a connection only after the hello of the next one.
    ///   - facts: The facts about the process at the other end of the connection.
    /// - Returns: The session to end, or nil if there is none. It is the session that the new one replaces, or the new
    ///   one itself if the client has a later one.
    func connected(_ session: Session, by connection: UInt64, _ facts: SenderFacts) -> Session? {
        let (isNewest, over) = core.withLock { core -> (Bool, Session?) in
            if core.session != nil, connection < core.connection { return (false, session) }
            defer {
                core.session = session
                core.connection = connection
                core.facts = facts
                core.connectedSince = .now
                core.absentSince = nil
            }
            return (true, core.session)
        }
        if isNewest, let over { for channel in channels { channel.server.unlink(from: over) } }
        return over
    }

    /// Returns a Boolean value that indicates whether a session is the client's newest one.
    func isConnected(by session: Session) -> Bool { core.withLock { $0.session === session } }

    /// Notes that a session ended, which need not be the newest one.
    func disconnected(_ session: Session, at now: ContinuousClock.Instant) {
        core.withLock { core in
            guard core.session === session else { return }
            core.session = nil
            core.absentSince = now
        }
    }

    /// The time at which the connection broke, or nil while the client is connected.
    var absentSince: ContinuousClock.Instant? { core.withLock(\.absentSince) }
}

extension OpenRefused {
    fileprivate static func tooMany(_ reason: String) -> OpenRefused { OpenRefused(code: .tooMany, reason: reason) }
}
