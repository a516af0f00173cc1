import LatticeConcurrency
package import LatticeCore
package import LatticeTransport
package import LatticeWire

/// The opening end of the sessions to one server, one session after the other: it has the channels, which outlive them.
package final class Opener: SessionHandler {
    private struct Core {
        var channels: [UInt32: ChannelLink] = [:]
        /// The one that got the last message, and will most likely get the next.
        var recent: ChannelLink?
        var session: Session?
        var lastNumber: UInt32 = 0
        /// Who is on the other side of the session.
        var peer: Handshake.Peer?
        /// Not yet opened on the session.
        var fresh: Set<UInt32> = []
        /// What a channel that is made later would not hear of otherwise.
        var host: HostStatus?
        /// Nobody will answer, until `revive`.
        var ending: (rejection: EventRejection, interruption: Interruption)?

        mutating func channel(_ number: UInt32) -> ChannelLink? {
            if let recent, recent.number == number { return recent }
            recent = channels[number]
            return recent
        }

        var sortedChannels: [ChannelLink] { channels.values.sorted { $0.number < $1.number } }

        /// What is to be opened now, by ascending numbers.
        mutating func takeFresh() -> (channels: [ChannelLink], session: Session, peer: Handshake.Peer)? {
            guard let session, let peer, !fresh.isEmpty else { return nil }
            defer { fresh = [] }
            return (fresh.sorted().compactMap { channels[$0] }, session, peer)
        }
    }

    package let eventLoop: any EventLoop
    private let side: SessionSide
    private let core = Locked(Core())
    private let onOpened: @Sendable (Handshake.Peer) -> Void
    private let onDrained: @Sendable () -> Void
    private let onClosed: @Sendable (Session, SessionError?) -> Void

    /// - Parameters:
    ///   - side: This one, in all sessions.
    ///   - onOpened: On the reactor's thread, when a handshake is done.
    ///   - onDrained: On the reactor's thread, when the other side has finished what was running.
    ///   - onClosed: On the reactor's thread, when a session ended, handshake or not; not always the newest one.
    package init(
        as side: SessionSide,
        eventLoop: any EventLoop,
        onOpened: @escaping @Sendable (Handshake.Peer) -> Void,
        onDrained: @escaping @Sendable () -> Void = {},
        onClosed: @escaping @Sendable (Session, SessionError?) -> Void
    ) {
        self.side = side
        self.eventLoop = eventLoop
        self.onOpened = onOpened
        self.onDrained = onDrained
        self.onClosed = onClosed
    }

    /// Makes a channel and opens it if there is a session, else when there is one.
    package func makeChannel<Action, State>(
        _ make: (UInt32) -> RemoteChannel<Action, State>
    ) -> RemoteChannel<Action, State> {
        let channel = core.withLock { core in
            core.lastNumber = side.channel(after: core.lastNumber)
            let channel = make(core.lastNumber)
            let link = channel.link
            core.channels[link.number] = link
            core.fresh.insert(link.number)
            // Under the lock, so that whatever is reported next comes after it.
            if let host = core.host { link.report(host) }
            if let ending = core.ending { link.close(ending.rejection, interruption: ending.interruption) }
            return channel
        }
        eventLoop.execute { [self] in openFresh() }
        return channel
    }

    /// Opens all that is not open yet: whoever makes a channel may come here before somebody with a lower number, and
    /// numbers ascend. On the reactor's thread, so that nobody comes between.
    private func openFresh() {
        guard let (channels, session, peer) = core.withLock({ $0.takeFresh() }) else { return }
        for channel in channels { channel.open(on: session, to: peer) }
    }

    /// Forgets a channel, and tells the other side to.
    package func remove<Action, State>(_ channel: RemoteChannel<Action, State>) {
        core.withLock { core in
            core.channels[channel.number] = nil
            core.fresh.remove(channel.number)
            core.recent = nil
        }
        channel.link.leave()
    }

    private var channels: [ChannelLink] {
        core.withLock(\.sortedChannels)
    }

    // MARK: Session

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        core.withLock { core in
            core.session = session
            core.fresh = Set(core.channels.keys)
            core.peer = peer
        }
        onOpened(peer)
        openFresh()
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        if case .drained = kind {
            _ = try Drained(decoding: body)
            return onDrained()
        }
        // None: this side left the channel while the message was on its way. Another session: that one is over.
        guard let link = core.withLock({ $0.session === session ? $0.channel(channel) : nil }) else { return }
        try link.receive(kind, body)
    }

    package func sessionDrained(_ session: Session) {}

    package func sessionClosed(_ session: Session, error: SessionError?) {
        core.withLock { core in
            if core.session === session { core.session = nil }
        }
        onClosed(session, error)
    }

    /// The present session, if its handshake is done.
    package var session: Session? { core.withLock(\.session) }

    // MARK: The fate of the other side

    /// The session is gone, and with an interruption what ran on the other side too.
    package func detach(interruption: Interruption?) {
        core.withLock { $0.session = nil }
        for channel in channels { channel.detach(interruption: interruption) }
    }

    /// Nobody will answer any more.
    package func close(_ rejection: EventRejection, interruption: Interruption) {
        let channels = core.withLock { core in
            core.ending = (rejection, interruption)
            return core.sortedChannels
        }
        for channel in channels { channel.close(rejection, interruption: interruption) }
    }

    package func revive() {
        let channels = core.withLock { core in
            core.ending = nil
            return core.sortedChannels
        }
        for channel in channels { channel.revive() }
    }

    package func report(_ host: HostStatus) {
        let channels = core.withLock { core in
            core.host = host
            return core.sortedChannels
        }
        for channel in channels { channel.report(host) }
    }
}
