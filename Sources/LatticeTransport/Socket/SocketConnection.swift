import CLatticeSystem
import LatticeConcurrency
import Synchronization

/// A connection over one end of a Unix stream socket.
///
/// A write goes from the caller's thread directly into the socket. Reading, and closing the descriptor, happen only on
/// the event loop's thread.
package final class SocketConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: `writing` is a lock, and the flags are atomic. `descriptor` is closed only on the event loop's thread
    // and after the lock was taken once more, so never during a write. Everything under "The event loop's thread"
    // belongs to that thread.

    private struct Writing {
        var isOpen = true
        var wantsRoom = false
    }

    /// The condition for which a write waits after it accepted fewer bytes than it was given.
    private enum Wait {
        case nothing
        case room
        /// Some time, because the system does not report when it has memory again.
        case time
    }

    /// The time after which a write is retried for which the system had no memory.
    private static let memoryPauseMilliseconds: Int64 = 10

    /// The number of bytes that one tick reads from a connection that another process began. It is the size of a few
    /// hundred small events, so that a client that floods takes little of each tick.
    static let acceptedBytesPerTick = 16 * 1024

    private let reactor: Reactor
    package let peer: Peer
    package var eventLoop: any EventLoop { reactor }
    private let descriptor: Int32
    private let bytesPerTick: Int
    private let writing = Locked(Writing())
    private let isClosed = Atomic(false)

    // MARK: The event loop's thread

    private var delivery = ConnectionDelivery.notStarted
    private var interest: Readiness = []

    /// Takes over a connected stream socket, and makes it non-blocking and close-on-exec.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - reactor: The event loop of the connection.
    /// - Throws: `.invalidDescriptor` if the descriptor is not such a socket. It then remains with the caller.
    package convenience init(adopting descriptor: OwnedDescriptor, reactor: Reactor) throws(TransportError) {
        let number = descriptor.number
        guard lattice_is_stream_socket(number) == 1 else { throw .invalidDescriptor(number, nil) }
        guard lattice_nonblocking(number) == 0, lattice_close_on_exec(number) == 0, lattice_no_sigpipe(number) == 0
        else { throw .invalidDescriptor(number, lattice_errno()) }
        self.init(prepared: descriptor.take(), peer: System.peer(of: number), reactor: reactor)
    }

    /// Takes over a socket that this module made and configured.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - peer: The party at the other end.
    ///   - reactor: The event loop of the connection.
    ///   - bytesPerTick: The maximum number of bytes that one tick reads.
    init(prepared descriptor: Int32, peer: Peer, reactor: Reactor, bytesPerTick: Int = Reactor.bufferSize) {
        self.descriptor = descriptor
        self.bytesPerTick = bytesPerTick
        self.reactor = reactor
        self.peer = peer
    }

    deinit {
        // Started connections live on the reactor until they have closed.
        if case .ended = delivery { return }
        System.close(descriptor)
    }

    package func start(handler: any ConnectionHandler) {
        reactor.perform { self.begin(handler) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        try write(bytes.count) { () throws(TransportError) in try moved(System.send(descriptor, bytes)) }
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        try write(pieces.reduce(0) { $0 + $1.count }) { () throws(TransportError) in
            var (taken, rest) = (0, pieces[...])
            while !rest.isEmpty {
                let some = UnsafeBufferPointer(rebasing: rest.prefix(System.maximumPieces))
                rest = rest.dropFirst(some.count)
                let (moved, wait) = try moved(System.send(descriptor, some))
                taken += moved
                if moved < some.reduce(0, { $0 + $1.count }) { return (taken, wait) }
            }
            return (taken, .room)
        }
    }

    /// Writes under the lock, and waits for room if the socket does not accept all bytes.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - send: Passes the bytes to the socket, and returns how many it accepted.
    @inline(__always)
    private func write(
        _ count: Int,
        _ send: () throws(TransportError) -> (Int, Wait)
    ) throws(TransportError) -> Int {
        if count == 0 { return 0 }
        let (taken, wait) = try writing.withLock { writing throws(TransportError) -> (Int, Wait) in
            guard writing.isOpen else { throw .closed }
            let (taken, wait) = try send()
            if taken == count { return (taken, .nothing) }
            defer { writing.wantsRoom = true }
            return (taken, writing.wantsRoom ? .nothing : wait)
        }
        switch wait {
        case .nothing: break
        case .room: reactor.perform { self.watchForRoom() }
        case .time: reactor.perform { self.tryAgainSoon() }
        }
        return taken
    }

    /// Returns the number of bytes that were sent, and the condition to wait for if those were not all.
    private func moved(_ transfer: System.Transfer) throws(TransportError) -> (Int, Wait) {
        switch transfer {
        case .moved(let count): return (count, .room)
        case .wouldBlock: return (0, .room)
        case .noMemory: return (0, .time)
        case .failed(let error):
            throw System.isPeerGone(error) ? .peerClosed(error) : .system("write to a socket", error)
        }
    }

    package func close() {
        guard stopWriting() else { return }
        reactor.execute { self.finish(nil) }
    }

    /// Ends writing.
    ///
    /// - Returns: Whether the connection was open until now.
    private func stopWriting() -> Bool {
        isClosed.store(true, ordering: .releasing)
        return writing.withLock { writing in
            defer { writing.isOpen = false }
            return writing.isOpen
        }
    }

    // MARK: On the event loop's thread

    private func begin(_ handler: any ConnectionHandler) {
        switch delivery {
        case .going:
            preconditionFailure("A connection has one handler: start it once.")
        case .ended:
            reactor.execute { handler.connectionClosed(self, error: nil) }
        case .notStarted:
            delivery = .going(handler, reactor.register(self))
            let wantsRoom = writing.withLock { $0.wantsRoom }
            watch(wantsRoom ? [.readable, .writable] : .readable)
        }
    }

    package func ready(_ readiness: Readiness) {
        guard case .going(let handler, _) = delivery, !isClosed.load(ordering: .acquiring) else { return }
        if !readiness.isDisjoint(with: [.readable, .ended]) {
            read(handler)
        }
        if interest.contains(.writable), !readiness.isDisjoint(with: [.writable, .ended]) {
            notifyRoom(handler)
        }
    }

    /// Reads once per tick, so that other connections are served in between. The poller reports the remaining bytes
    /// again.
    private func read(_ handler: any ConnectionHandler) {
        let buffer = UnsafeMutableRawBufferPointer(rebasing: reactor.buffer[..<bytesPerTick])
        switch System.receive(descriptor, into: buffer) {
        case .moved(0):
            finish(nil)
        case .moved(let count):
            handler.connection(self, received: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .wouldBlock, .noMemory:
            break
        case .failed(let error):
            // A reset means that the other side closed without reading everything. The only certain fact is that it has
            // closed.
            finish(System.isPeerGone(error) ? nil : .system("read from a socket", error))
        }
    }

    private func notifyRoom(_ handler: any ConnectionHandler) {
        let isExpected = writing.withLock { writing in
            defer { writing.wantsRoom = false }
            return writing.isOpen && writing.wantsRoom
        }
        if isExpected { handler.connectionWritable(self) }
        // Checked after the call, because the handler may have filled the socket again.
        if !writing.withLock({ $0.wantsRoom }) { watch(interest.subtracting(.writable)) }
    }

    private func tryAgainSoon() {
        reactor.after(milliseconds: Self.memoryPauseMilliseconds) { [weak self] in
            guard let self, case .going(let handler, _) = delivery else { return }
            notifyRoom(handler)
        }
    }

    private func watchForRoom() {
        guard writing.withLock({ $0.wantsRoom }) else { return }
        watch(interest.union(.writable))
    }

    private func watch(_ wanted: Readiness) {
        guard case .going(_, let registration) = delivery, wanted != interest else { return }
        let error = reactor.watch(descriptor, registration, from: interest, to: wanted)
        if error == 0 {
            interest = wanted
        } else if stopWriting() {
            // Not at once, because this may be inside a write of the handler.
            reactor.execute { self.finish(.system("watch a socket", error)) }
        }
    }

    package func isHeldUp() {
        guard case .going(let handler, _) = delivery, !isClosed.load(ordering: .acquiring) else { return }
        handler.connectionIsHeldUp(self)
    }

    package func eventLoopStops() {
        finish(nil)
    }

    private func finish(_ error: TransportError?) {
        _ = stopWriting()
        switch delivery {
        case .ended:
            return
        case .notStarted:
            delivery = .ended
            System.shutdown(descriptor)
            System.close(descriptor)
        case .going(let handler, let registration):
            watch([])
            delivery = .ended
            reactor.deregister(registration)
            System.shutdown(descriptor)
            System.close(descriptor)
            handler.connectionClosed(self, error: error)
        }
    }
}

extension SocketConnection {
    /// Connects to the process that serves at `path`, without waiting.
    ///
    /// - Throws: `.notFound` if there is no socket, `.refused` if no process serves there, `.busy` if its queue is
    ///   full, `.wrongUser` if it belongs neither to this user nor to root, and otherwise `.system`.
    package static func connect(to path: SocketPath, reactor: Reactor) throws(TransportError) -> SocketConnection {
        let socket = try System.socket()
        switch System.connect(socket, to: path) {
        case 0: break
        case ENOENT: throw .notFound(path)
        case ECONNREFUSED: throw .refused(path)
        case EAGAIN: throw .busy(path)
        case let error: throw .system("connect to \(path)", error)
        }
        let peer = System.peer(of: socket.number)
        guard let user = peer.userID else { throw .system("learn who serves at \(path)", lattice_errno()) }
        guard peer.mayTalk(to: System.userID) else {
            throw .wrongUser(path, found: user, expected: System.userID)
        }
        return SocketConnection(prepared: socket.take(), peer: peer, reactor: reactor)
    }

    /// Creates two connected sockets without a path, so that other processes cannot connect: one for this process, and
    /// one for a child.
    ///
    /// The remote end is blocking and close-on-exec. `peer` of both is this process, which made them.
    package static func pair(
        reactor: Reactor
    ) throws(TransportError) -> (local: SocketConnection, remote: OwnedDescriptor) {
        let (local, remote) = try System.socketPair()
        return (try SocketConnection(adopting: local, reactor: reactor), remote)
    }

    /// Returns the other end of `pair` in a process that received it as its standard input. The socket is moved away
    /// from standard input at once, so that neither a child nor a library that reads standard input can use it.
    ///
    /// - Throws: `.invalidDescriptor` if standard input is not a socket. Nothing is changed then.
    package static func takeStandardInput() throws(TransportError) -> OwnedDescriptor {
        guard lattice_is_stream_socket(0) == 1 else { throw .invalidDescriptor(0, nil) }
        let moved = System.call { lattice_move_standard_input() }
        guard moved.result >= 0 else { throw .system("move standard input", moved.errno) }
        return OwnedDescriptor(moved.result)
    }
}
