package import LatticeCore
package import LatticeTransport
package import LatticeWire
import Synchronization

/// The opening end of the sessions to one server, one session after the other: it has the channels, which outlive them.
package final class Opener: SessionHandler {
    private struct Core {
        var channels: [UInt32: any RoutedChannel] = [:]
        var session: Session?
        var lastNumber: UInt32 = 0
        var incarnation: UInt64?
        /// Made, and not yet offered to a session.
        var fresh: Set<UInt32> = []
        var host: HostStatus?
        /// Nobody will answer, until `revive`.
        var ending: (rejection: EventRejection, interruption: Interruption)?
    }

    package let reactor: Reactor
    private let core = Mutex(Core())
    private let onOpened: @Sendable (Handshake.Peer) -> Void
    private let onDrained: @Sendable () -> Void
    private let onClosed: @Sendable (SessionError?) -> Void

    /// - Parameters:
    ///   - onOpened: On the reactor's thread, when a handshake is done.
    ///   - onDrained: On the reactor's thread, when the other side has finished what was running.
    ///   - onClosed: On the reactor's thread, when a session ended, handshake or not.
    package init(
        reactor: Reactor,
        onOpened: @escaping @Sendable (Handshake.Peer) -> Void,
        onDrained: @escaping @Sendable () -> Void = {},
        onClosed: @escaping @Sendable (SessionError?) -> Void
    ) {
        self.reactor = reactor
        self.onOpened = onOpened
        self.onDrained = onDrained
        self.onClosed = onClosed
    }

    /// Makes a channel and opens it if there is a session, else when there is one.
    package func makeChannel<Channel: RoutedChannel>(_ make: (UInt32) -> Channel) -> Channel {
        let (channel, host, ending) = core.withLock { core in
            core.lastNumber += 1
            let channel = make(core.lastNumber)
            core.channels[channel.number] = channel
            core.fresh.insert(channel.number)
            return (channel, core.host, core.ending)
        }
        if let host { channel.report(host) }
        if let ending { channel.close(ending.rejection, interruption: ending.interruption) }
        // On the reactor's thread, as `sessionOpened`: one of the two opens it, once.
        reactor.execute { [self] in openIfFresh(channel) }
        return channel
    }

    private func openIfFresh(_ channel: any RoutedChannel) {
        let session = core.withLock { core -> Session? in
            guard let session = core.session, core.fresh.remove(channel.number) != nil else { return nil }
            return session
        }
        if let session { channel.open(on: session, isContinuation: false) }
    }

    /// Forgets a channel, and tells the other side to.
    package func remove(_ channel: any RoutedChannel) {
        core.withLock { core in
            core.channels[channel.number] = nil
            core.fresh.remove(channel.number)
        }
        channel.leave()
    }

    private var channels: [any RoutedChannel] {
        core.withLock { core in core.channels.values.sorted { $0.number < $1.number } }
    }

    // MARK: Session

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        // The channels too: one that is made from here on opens itself.
        let (isContinuation, channels) = core.withLock { core in
            core.session = session
            core.fresh = []
            defer { core.incarnation = peer.incarnation }
            return (core.incarnation == peer.incarnation, core.channels.values.sorted { $0.number < $1.number })
        }
        onOpened(peer)
        for channel in channels { channel.open(on: session, isContinuation: isContinuation) }
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        if kind == .drained {
            _ = try Drained(decoding: body)
            return onDrained()
        }
        // None: this side left the channel while the message was on its way. Another session: that one is over.
        guard let routed = core.withLock({ $0.session === session ? $0.channels[channel] : nil }) else { return }
        try routed.receive(kind, body)
    }

    package func sessionDrained(_ session: Session) {}

    package func sessionClosed(_ session: Session, error: SessionError?) {
        core.withLock { core in
            if core.session === session { core.session = nil }
        }
        onClosed(error)
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
        core.withLock { $0.ending = (rejection, interruption) }
        for channel in channels { channel.close(rejection, interruption: interruption) }
    }

    package func revive() {
        core.withLock { $0.ending = nil }
        for channel in channels { channel.revive() }
    }

    package func report(_ host: HostStatus) {
        core.withLock { $0.host = host }
        for channel in channels { channel.report(host) }
    }
}
