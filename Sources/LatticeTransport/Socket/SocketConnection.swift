import CLatticeSystem
import LatticeConcurrency
import Synchronization

/// A connection over one end of a Unix stream socket.
///
/// A write goes from the caller's thread straight into the socket. Reading, and the closing of the descriptor, happen
/// on the event loop's thread alone.
package final class SocketConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: `writing` is a lock, the flags are atomic, `descriptor` is closed only on the event loop's thread and
    // after the lock was taken once more, so never under a write; everything under "The event loop's thread" belongs to
    // it.

    private struct Writing {
        var isOpen = true
        var wantsRoom = false
    }

    /// What a write waits for that took fewer bytes than it was given.
    private enum Wait {
        case nothing
        case room
        /// Nobody tells when the system has memory again.
        case time
    }

    /// After so long a write that the system had no memory for is tried again.
    private static let memoryPauseMilliseconds: Int64 = 10

    /// Bytes that one tick reads of a connection that somebody else has begun, so that who floods takes little of each
    /// tick: a few hundred small events.
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

    /// Takes over a connected stream socket and makes it non-blocking and close-on-exec.
    ///
    /// - Throws: `.invalidDescriptor` if it is none; it stays the caller's then.
    package convenience init(adopting descriptor: OwnedDescriptor, reactor: Reactor) throws(TransportError) {
        let number = descriptor.number
        guard lattice_is_stream_socket(number) == 1 else { throw .invalidDescriptor(number, nil) }
        guard lattice_nonblocking(number) == 0, lattice_close_on_exec(number) == 0, lattice_no_sigpipe(number) == 0
        else { throw .invalidDescriptor(number, lattice_errno()) }
        self.init(prepared: descriptor.take(), peer: System.peer(of: number), reactor: reactor)
    }

    /// A socket that this target made, so that nothing about it is in doubt.
    ///
    /// - Parameter bytesPerTick: How much one tick reads at most.
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

    /// - Parameter send: Gives `count` bytes to the socket, as many as it takes.
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

    /// How many bytes went out, and what to wait for if those were not all.
    private func moved(_ transfer: System.Transfer) throws(TransportError) -> (Int, Wait) {
        switch transfer {
        case .moved(let count): return (count, .room)
        case .wouldBlock: return (0, .room)
        case .noMemory: return (0, .time)
        case .failed(let error):
            throw System.saysPeerIsGone(error) ? .peerClosed(error) : .system("write to a socket", error)
        }
    }

    package func close() {
        guard stopWriting() else { return }
        reactor.execute { self.finish(nil) }
    }

    /// - Returns: Whether it was open until now.
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

    /// One read a tick: others get theirs in between, and what is left is told again.
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
            // A reset says that the other side closed without reading everything. That it is gone is all that is sure.
            finish(System.saysPeerIsGone(error) ? nil : .system("read from a socket", error))
        }
    }

    private func notifyRoom(_ handler: any ConnectionHandler) {
        let isExpected = writing.withLock { writing in
            defer { writing.wantsRoom = false }
            return writing.isOpen && writing.wantsRoom
        }
        if isExpected { handler.connectionWritable(self) }
        // Asked only now: the handler may have filled the socket again.
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
            // Not at once: this may be inside a write of the handler.
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
    /// Connects to whoever serves at `path`, without waiting.
    ///
    /// - Throws: `.notFound`, `.refused` if nobody serves there, `.busy` if its queue is full, `.wrongUser` if it
    ///   belongs neither to us nor to root, `.system` otherwise.
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

    /// Two connected sockets that have no path, so that nobody else can connect: one for us and one to give to a child.
    ///
    /// The remote end is blocking and close-on-exec. `peer` of both is this process, which made them.
    package static func pair(
        reactor: Reactor
    ) throws(TransportError) -> (local: SocketConnection, remote: OwnedDescriptor) {
        let (local, remote) = try System.socketPair()
        return (try SocketConnection(adopting: local, reactor: reactor), remote)
    }

    /// The other end of `pair` in a process that got it as its standard input, from which it is moved at once: neither
    /// a child nor a library that reads standard input gets hold of it.
    ///
    /// - Throws: `.invalidDescriptor` if standard input is no socket; nothing is changed then.
    package static func takeStandardInput() throws(TransportError) -> OwnedDescriptor {
        guard lattice_is_stream_socket(0) == 1 else { throw .invalidDescriptor(0, nil) }
        let moved = System.call { lattice_move_standard_input() }
        guard moved.result >= 0 else { throw .system("move standard input", moved.errno) }
        return OwnedDescriptor(moved.result)
    }
}
