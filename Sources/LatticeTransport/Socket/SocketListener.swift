import LatticeConcurrency
import Synchronization

/// Serves at a path: whoever of this user (or root) connects becomes a connection.
///
/// When the process runs out of descriptors, accepting pauses and is tried again ten times a second; who connects
/// meanwhile waits in the system's queue. Once a second it looks whether its files are still there, see ``PathWatch``.
package final class SocketListener: Registrant, @unchecked Sendable {
    // Unchecked: `file` is a lock, `isOpen` and `pauses` are atomic; what is under "The event loop's thread" belongs to
    // it, and it alone closes the descriptor.

    /// Few: those who have to leave for them close their descriptors only after that, and until then both count.
    static let acceptedPerTick = 8
    private static let pauseMilliseconds: Int64 = 100

    package let path: SocketPath
    private let reactor: Reactor
    private let file: Locked<SocketFile>
    private let onConnection: @Sendable (SocketConnection) -> Void
    private let onForeign: @Sendable (SocketConnection) -> Void
    private let onPathNews: @Sendable (PathEvent) -> Void
    private let identify: @Sendable (Int32) -> Peer
    private let isOpen = Atomic(true)
    private let pauses = Atomic<Int>(0)

    // MARK: The event loop's thread

    private var socket: OwnedDescriptor
    private var pathWatch = PathWatch()
    private var registration: Registration?
    private var watching: Readiness = []

    /// Claims `path` and serves there until `close`, also if nobody refers to the listener.
    ///
    /// The directory is made (0700) if only it is missing; the socket is 0600; a stale one is replaced.
    ///
    /// - Parameters:
    ///   - identify: Who is at the other end of a socket; tests have others than the system's.
    ///   - letsIn: whether connections are taken from now on; otherwise from `letIn()` on, and those that come before
    ///     wait in the system's queue.
    ///   - onForeign: called on the event loop's thread with a connection of another user, which is not started yet: to
    ///     tell it so and close it.
    ///   - onPathNews: called on the event loop's thread when the socket or the lock was deleted or replaced, with what
    ///     became of that. Connections are not touched by it.
    ///   - onConnection: called on the event loop's thread with a connection of this user or root that is not started
    ///     yet.
    /// - Throws: `.addressInUse` if somebody serves there, `.unsafePath` if others could interfere, `.system`
    ///   otherwise.
    package init(
        path: SocketPath,
        reactor: Reactor,
        identify: @escaping @Sendable (Int32) -> Peer = { System.peer(of: $0) },
        letsIn: Bool = true,
        onForeign: @escaping @Sendable (SocketConnection) -> Void = { $0.close() },
        onPathNews: @escaping @Sendable (PathEvent) -> Void = { _ in },
        onConnection: @escaping @Sendable (SocketConnection) -> Void
    ) throws(TransportError) {
        let claimed = try SocketFile.claim(path)
        self.path = path
        self.reactor = reactor
        file = Locked(claimed.file)
        socket = claimed.socket
        self.onPathNews = onPathNews
        self.identify = identify
        self.onForeign = onForeign
        self.onConnection = onConnection
        if letsIn { letIn() }
    }

    /// Takes connections from now on. Once; any thread.
    package func letIn() {
        reactor.perform { self.begin() }
    }

    /// How often accepting paused because the process had no descriptor left.
    package var acceptPauses: Int { pauses.load(ordering: .relaxed) }

    /// Stops accepting and removes the socket file and the lock if they are still ours. Any thread, idempotent;
    /// connections stay.
    package func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        file.withLock { $0.remove() }
        reactor.execute { self.finish() }
    }

    package func eventLoopStops() {
        close()
    }

    private func begin() {
        guard isOpen.load(ordering: .acquiring) else { return }
        registration = reactor.register(self)
        watch(.readable)
        lookLater()
    }

    private func finish() {
        if let registration {
            watch([])
            reactor.deregister(registration)
        }
        socket.close()
    }

    private func watch(_ interest: Readiness) {
        guard let registration, interest != watching else { return }
        if reactor.watch(socket.number, registration, from: watching, to: interest) == 0 {
            watching = interest
        } else if !interest.isEmpty {
            tryAgainLater()
        }
    }

    package func ready(_ readiness: Readiness) {
        accept(atMost: Self.acceptedPerTick)
    }

    private func accept(atMost count: Int) {
        for _ in 0..<count where isOpen.load(ordering: .acquiring) {
            switch System.accept(socket.number) {
            case .accepted(let descriptor): admit(OwnedDescriptor(descriptor))
            case .abandoned: continue
            case .nobodyWaits: return
            case .failed:
                // Out of descriptors or memory. Those who wait stay readable, so asking at once would spin.
                pauses.add(1, ordering: .relaxed)
                watch([])
                return tryAgainLater()
            }
        }
    }

    private func tryAgainLater() {
        reactor.after(milliseconds: Self.pauseMilliseconds) { [weak self] in
            guard let self, self.isOpen.load(ordering: .acquiring) else { return }
            self.watch(.readable)
        }
    }

    private func admit(_ socket: OwnedDescriptor) {
        let peer = identify(socket.number)
        let connection = SocketConnection(
            prepared: socket.take(),
            peer: peer,
            reactor: reactor,
            bytesPerTick: SocketConnection.acceptedBytesPerTick
        )
        if peer.mayTalk(to: System.userID) {
            onConnection(connection)
        } else {
            onForeign(connection)
        }
    }

    // MARK: The path

    private func lookLater() {
        _ = reactor.at(.now + pathWatch.pause) { [weak self] in
            guard let self, self.isOpen.load(ordering: .acquiring) else { return }
            self.lookAfterPath()
            self.lookLater()
        }
    }

    /// Looks whether the files are there, and makes again what is missing. On the event loop's thread; done by itself
    /// after each ``PathWatch/pause``.
    package func lookAfterPath() {
        var news: PathEvent?
        var replacement: OwnedDescriptor?
        file.withLock { file in
            let missing = file.missing
            do throws(TransportError) {
                replacement = try file.restore(missing)
                news = pathWatch.held(missing: missing)
            } catch {
                news = pathWatch.failed(missing: missing, error)
            }
        }
        if let replacement { serve(replacement) }
        if let news { onPathNews(news) }
    }

    private func serve(_ replacement: OwnedDescriptor) {
        // Whoever connected before the file was gone is still in the old one's queue.
        accept(atMost: Int(SocketFile.backlog))
        watch([])
        socket.close()
        socket = replacement
        watch(.readable)
    }
}
