import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// What a coordinator keeps of one client, connected or not: the channels it opened.
final class ClientSession: Sendable {
    /// A channel, and what it shows.
    struct Channel: Sendable {
        let key: FeatureRegistry.Key
        let server: ChannelServer
    }

    /// All of it that a client that comes back depends on, as one value: which numbers are taken, which outcomes are
    /// due.
    struct Memory: Sendable, Equatable, Codable {
        struct Channel: Sendable, Equatable, Codable {
            let key: FeatureRegistry.Key
            let record: UInt64?
            let state: ChannelServerState
            /// The events that were taken in and have not ended, by ascending numbers.
            let running: [UInt64]

            /// What is left of it beside a worker that is not the one before: what ran went with that, and the numbers
            /// under which events were sent on to it mean nothing. Outcomes that nobody was told yet are due, as they
            /// were.
            var restored: ChannelServerState {
                var state = state
                let unknown = WireOutcome.unknown(
                    reason:
                        "the coordinator ended before the event was acknowledged; look at the state before it is sent"
                        + " again"
                )
                for event in running { state.complete(event, event <= state.applied ? .disconnected : unknown) }
                state.release(revision: state.revision, throughForwarded: .max)
                return state
            }
        }

        let identity: [UInt8]
        /// By the numbers of the channels.
        let channels: [UInt32: Channel]
    }

    private struct Core {
        /// By the numbers of the channels, which a client keeps over reconnects.
        var channels: [UInt32: Channel] = [:]
        var session: Session?
        /// Which connection that session is, or was, of those that the coordinator took in.
        var connection: UInt64 = 0
        /// Whose connection that is, or was, if the system says that.
        var process: Int32?
        /// When its connection broke; nil while it is connected.
        var absentSince: ContinuousClock.Instant?
        /// How many of `channels` each instance has.
        var counts: [FeatureRegistry.Key: Int] = [:]
        /// Answers to `open` that are being worked out, also of channels that were closed meanwhile.
        var openings = 0
        /// Whether it has left a channel behind whose events may run.
        var hasLeftBehind = false

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

    /// Channels that one client may have open, and answers to `open` that may be worked out for it at a time.
    static let maximumChannels = 4096
    /// Those of them that may show the same instance: each of its states is told on each of them.
    static let maximumChannelsPerInstance = 64

    let identity: [UInt8]
    /// Who sends the events of the client.
    let sender: EventSender
    private let eventLoop: any EventLoop
    private let core: Locked<Core>

    /// - Parameter identity: What the client calls itself. Without a name of its own it gets one for this connection.
    init(identity: [UInt8], eventLoop: any EventLoop) {
        self.identity = identity
        self.eventLoop = eventLoop
        sender = EventSender(identity) ?? .random()
        core = Locked(Core())
    }

    /// A client that is away, as it was remembered by a coordinator that is gone, with its worker.
    ///
    /// Events that had not ended do so now: applied ones are interrupted, and of the others nobody knows. The client
    /// hears of it when it comes back.
    convenience init(_ memory: Memory, absentSince: ContinuousClock.Instant, eventLoop: any EventLoop) {
        self.init(identity: memory.identity, eventLoop: eventLoop)
        core.withLock { core in
            core.absentSince = absentSince
            for (number, channel) in memory.channels {
                let server = makeServer(number, channel.restored, record: channel.record)
                core.add(Channel(key: channel.key, server: server), as: number)
            }
        }
    }

    /// What is known of it now. On the event loop, or while it is away: in between an event may be on its way to its
    /// host.
    var memory: Memory {
        Memory(
            identity: identity,
            channels: core.withLock(\.channels).mapValues { channel in
                let (state, running) = channel.server.remembered
                return Memory.Channel(key: channel.key, record: channel.server.record, state: state, running: running)
            }
        )
    }

    private func makeServer(_ number: UInt32, _ state: ChannelServerState, record: UInt64?) -> ChannelServer {
        ChannelServer(number: number, state: state, sender: sender.value, record: record, eventLoop: eventLoop)
    }

    var channels: [Channel] { core.withLock { Array($0.channels.values) } }

    /// nil if there is no such channel.
    func channel(_ number: UInt32) -> Channel? { core.withLock { $0.channels[number] } }

    /// Whether it has left a channel behind whose events may run.
    var hasLeftBehind: Bool { core.withLock(\.hasLeftBehind) }

    /// Whether it has no channels, and has left none behind.
    var hasNothing: Bool { core.withLock { $0.channels.isEmpty && !$0.hasLeftBehind } }

    /// Whose its connection is, or was, if the system says that.
    var process: Int32? { core.withLock(\.process) }

    /// The serving end of a channel; `opened` follows when it was answered.
    ///
    /// - Parameters:
    ///   - key: What is opened.
    ///   - record: What the client comes back to; another one is made unless it is here.
    /// - Returns: The channel, and those that are over: the one whose place it takes, and what the coordinator has
    ///   ended, if that many are there.
    /// - Throws: The refusal, if the client has too many.
    func channel(
        _ number: UInt32,
        of key: FeatureRegistry.Key,
        continuing record: UInt64?
    ) throws(OpenRefused) -> (channel: ChannelServer, over: [Channel]) {
        try core.withLock { core throws(OpenRefused) in
            guard core.openings < Self.maximumChannels else {
                throw .tooMany(
                    "\(core.openings) channels of this client are being opened, and no more are at a time; wait for an"
                        + " answer"
                )
            }
            let old = core.channels[number]
            if let old, let record, old.server.record == record, old.key == key, !old.server.isClosed {
                core.openings += 1
                return (old.server, [])
            }
            var over = old.map { [$0] } ?? []
            if core.channels.count >= Self.maximumChannels {
                // The client does not close them.
                let closed = core.channels.filter { $0.value.server.isClosed }
                for number in closed.keys { core.remove(number) }
                over += closed.values
            }
            guard old != nil || core.channels.count < Self.maximumChannels else {
                throw .tooMany("a client has at most \(Self.maximumChannels) channels; close some")
            }
            let isAnother = old?.key != key
            guard !isAnother || core.counts[key, default: 0] < Self.maximumChannelsPerInstance else {
                throw .tooMany(
                    "a client has at most \(Self.maximumChannelsPerInstance) channels to the same instance; close some, or"
                        + " use one for all"
                )
            }
            if !over.isEmpty { core.hasLeftBehind = true }
            core.openings += 1
            // Without an identity it cannot come back.
            let server = makeServer(number, .forwarding(), record: identity.isEmpty ? nil : .random(in: 1...(.max)))
            core.add(Channel(key: key, server: server), as: number)
            return (server, over)
        }
    }

    /// An answer to `open` was worked out, whatever it is.
    func opened() {
        core.withLock { $0.openings -= 1 }
    }

    /// Forgets a channel.
    ///
    /// - Parameter server: What serves it: if another one has the number by now, that stays. nil: whatever does.
    @discardableResult
    func remove(_ number: UInt32, servedBy server: ChannelServer? = nil) -> Channel? {
        core.withLock { core in
            guard server == nil || core.channels[number]?.server === server else { return nil }
            return core.remove(number)
        }
    }

    /// A session said hello.
    ///
    /// - Parameters:
    ///   - session: Which.
    ///   - connection: The number of its connection; later connections have higher ones. The end of a connection that
    ///     the client gave up may be heard behind the hello of the next one.
    /// - Returns: The session that is over: the one whose place this one takes, with all that it had, or this one if
    ///   the client has a later one; nil if it had none.
    func connected(_ session: Session, by connection: UInt64) -> Session? {
        let (isNewest, over) = core.withLock { core -> (Bool, Session?) in
            if core.session != nil, connection < core.connection { return (false, session) }
            defer {
                core.session = session
                core.connection = connection
                core.process = session.connection.peer.processID
                core.absentSince = nil
            }
            return (true, core.session)
        }
        if isNewest, let over { for channel in channels { channel.server.unlink(from: over) } }
        return over
    }

    /// Whether this is the client's newest session.
    func isConnected(by session: Session) -> Bool { core.withLock { $0.session === session } }

    /// A session ended, which need not be the newest one.
    func disconnected(_ session: Session, at now: ContinuousClock.Instant) {
        core.withLock { core in
            guard core.session === session else { return }
            core.session = nil
            core.absentSince = now
        }
    }

    /// When its connection broke; nil while it is connected.
    var absentSince: ContinuousClock.Instant? { core.withLock(\.absentSince) }
}

extension OpenRefused {
    fileprivate static func tooMany(_ reason: String) -> OpenRefused { OpenRefused(code: .tooMany, reason: reason) }
}
