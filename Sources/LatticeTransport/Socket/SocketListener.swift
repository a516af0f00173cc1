import LatticeConcurrency
import Synchronization

/// Serves at a path: each process of this user (or of root) that connects becomes a connection.
///
/// When the process has no more descriptors, accepting pauses and is retried ten times a second. Processes that connect
/// meanwhile wait in the system's queue. Once a second the listener checks that its files still exist, see
/// ``PathWatch``.
package final class SocketListener: Registrant, @unchecked Sendable {
    // Unchecked: `file` is a lock, and `isOpen` and `pauses` are atomic. Everything under "The event loop's thread"
    // belongs to that thread, which alone closes the descriptor.

    /// The maximum number of connections that one tick accepts. It is small because clients that have to leave for new
    /// ones close their descriptors only afterwards, and until then both count.
    static let acceptedPerTick = 8
    private static let pauseMilliseconds: Int64 = 100

    /// The path at which the listener serves.
    ///
    /// It is the path of an inherited socket as well, whose file belongs to the process that opened it.
    package let path: SocketPath
    private let reactor: Reactor
    /// The files of the listener. Nil for an inherited socket, which is neither removed nor created again.
    private let file: Locked<SocketFile?>
    private let onConnection: @Sendable (SocketConnection) -> Void
    private let onForeign: @Sendable (SocketConnection) -> Void
    private let onPathEvent: @Sendable (PathEvent) -> Void
    private let identify: @Sendable (Int32) -> Peer
    private let isOpen = Atomic(true)
    private let pauses = Atomic<Int>(0)

    // MARK: The event loop's thread

    private var socket: OwnedDescriptor
    private var pathWatch = PathWatch()
    private var registration: Registration?
    private var watching: Readiness = []

    /// Claims `path` and serves there until `close`, even if no reference to the listener is left.
    ///
    /// The listener creates the directory (0700) if only the directory itself is missing. The socket has the rights
    /// 0600. A stale socket is replaced.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - reactor: The event loop of the listener and its connections.
    ///   - identify: Returns the process at the other end of a socket. Tests replace the system's answer.
    ///   - letsIn: Whether connections are accepted from now on. Otherwise they are accepted after `letIn()`, and
    ///     connections that come before wait in the system's queue.
    ///   - onForeign: Called on the event loop's thread with a connection of another user that is not started yet, so
    ///     that it can be informed and closed.
    ///   - onPathEvent: Called on the event loop's thread when the socket or the lock was deleted or replaced, with the
    ///     result. Connections are not affected.
    ///   - onConnection: Called on the event loop's thread with a connection of this user or of root that is not
    ///     started yet.
    /// - Throws: `.addressInUse` if another process serves there, `.unsafePath` if other users could interfere, and
    ///   otherwise `.system`.
    package convenience init(
        path: SocketPath,
        reactor: Reactor,
        identify: @escaping @Sendable (Int32) -> Peer = { System.peer(of: $0) },
        letsIn: Bool = true,
        onForeign: @escaping @Sendable (SocketConnection) -> Void = { $0.close() },
        onPathEvent: @escaping @Sendable (PathEvent) -> Void = { _ in },
        onConnection: @escaping @Sendable (SocketConnection) -> Void
    ) throws(TransportError) {
        let claimed = try SocketFile.claim(path)
        self.init(
            serving: claimed.socket,
            at: path,
            file: claimed.file,
            reactor: reactor,
            identify: identify,
            onForeign: onForeign,
            onPathEvent: onPathEvent,
            onConnection: onConnection
        )
        if letsIn { letIn() }
    }

    /// Serves a socket that another process has opened and that already listens, after ``letIn()``.
    ///
    /// The file of the socket is never removed or created again. The parameters are those of the other initializer.
    package convenience init(
        inheriting socket: InheritedSocket,
        reactor: Reactor,
        onForeign: @escaping @Sendable (SocketConnection) -> Void = { $0.close() },
        onConnection: @escaping @Sendable (SocketConnection) -> Void
    ) {
        self.init(
            serving: socket.descriptor,
            at: socket.path,
            file: nil,
            reactor: reactor,
            identify: { System.peer(of: $0) },
            onForeign: onForeign,
            onPathEvent: { _ in },
            onConnection: onConnection
        )
    }

    private init(
        serving socket: OwnedDescriptor,
        at path: SocketPath,
        file: SocketFile?,
        reactor: Reactor,
        identify: @escaping @Sendable (Int32) -> Peer,
        onForeign: @escaping @Sendable (SocketConnection) -> Void,
        onPathEvent: @escaping @Sendable (PathEvent) -> Void,
        onConnection: @escaping @Sendable (SocketConnection) -> Void
    ) {
        self.path = path
        self.reactor = reactor
        self.file = Locked(file)
        self.socket = socket
        self.onPathEvent = onPathEvent
        self.identify = identify
        self.onForeign = onForeign
        self.onConnection = onConnection
    }

    /// Accepts connections from now on. Call it once, on any thread.
    package func letIn() {
        reactor.perform { self.begin() }
    }

    /// The number of times that accepting paused because the process had no descriptor left.
    package var acceptPauses: Int { pauses.load(ordering: .relaxed) }

    /// Stops accepting, and removes the socket file and the lock if they still belong to this listener. Connections
    /// continue. It can be called on any thread and more than once.
    package func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        file.withLock { $0?.remove() }
        reactor.execute { self.finish() }
    }

    package func eventLoopStops() {
        close()
    }

    private func begin() {
        guard isOpen.load(ordering: .acquiring) else { return }
        registration = reactor.register(self)
        watch(.readable)
        if file.withLock({ $0 != nil }) { scheduleCheck() }
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
            retryLater()
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
            case .noConnection: return
            case .failed:
                // The process has no more descriptors or memory. The socket stays readable, so an immediate retry would
                // spin.
                pauses.add(1, ordering: .relaxed)
                watch([])
                return retryLater()
            }
        }
    }

    private func retryLater() {
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

    private func scheduleCheck() {
        _ = reactor.at(.now + pathWatch.pause) { [weak self] in
            guard let self, self.isOpen.load(ordering: .acquiring) else { return }
            self.lookAfterPath()
            self.scheduleCheck()
        }
    }

    /// Checks that the files exist, and creates missing ones again. Call it on the event loop's thread. The listener
    /// itself calls it after each ``PathWatch/pause``.
    package func lookAfterPath() {
        var event: PathEvent?
        var replacement: OwnedDescriptor?
        file.withLock { file in
            guard let missing = file?.missing else { return }
            do throws(TransportError) {
                replacement = try file?.restore(missing)
                event = pathWatch.held(missing: missing)
            } catch {
                event = pathWatch.failed(missing: missing, error)
            }
        }
        if let replacement { serve(replacement) }
        if let event { onPathEvent(event) }
    }

    private func serve(_ replacement: OwnedDescriptor) {
        // Clients that connected before the file was replaced are still in the old socket's queue.
        accept(atMost: Int(SocketFile.backlog))
        watch([])
        socket.close()
        socket = replacement
        watch(.readable)
    }
}
