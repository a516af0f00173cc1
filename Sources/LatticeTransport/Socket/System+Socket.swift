import CLatticeSystem

extension System {
    /// Non-blocking, close-on-exec, without SIGPIPE; and sure to be a connected stream socket.
    static func prepareSocket(_ descriptor: Int32) throws(TransportError) {
        guard lattice_is_stream_socket(descriptor) == 1 else { throw .invalidDescriptor(descriptor, nil) }
        guard lattice_nonblocking(descriptor) == 0, lattice_close_on_exec(descriptor) == 0,
            lattice_no_sigpipe(descriptor) == 0
        else { throw .invalidDescriptor(descriptor, lattice_errno()) }
    }

    /// Standard input reads from nothing afterwards.
    static func moveStandardInput() throws(TransportError) -> OwnedDescriptor {
        guard lattice_is_stream_socket(0) == 1 else { throw .invalidDescriptor(0, nil) }
        let moved = call { lattice_move_standard_input() }
        guard moved.result >= 0 else { throw .system("move standard input", moved.errno) }
        return OwnedDescriptor(moved.result)
    }

    /// Both ends blocking and close-on-exec.
    static func socketPair() throws(TransportError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard lattice_socket_pair(&ends) == 0 else { throw .system("make a socket pair", lattice_errno()) }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// Non-blocking and close-on-exec.
    static func socket() throws(TransportError) -> OwnedDescriptor {
        let made = call { lattice_socket() }
        guard made.result >= 0 else { throw .system("make a socket", made.errno) }
        return OwnedDescriptor(made.result)
    }

    enum Acceptance {
        case accepted(Int32)
        case nobodyWaits
        /// Whoever waited has given up.
        case abandoned
        case failed(Int32)
    }

    static func accept(_ listener: Int32) -> Acceptance {
        let made = call { lattice_accept(listener) }
        guard made.result < 0 else { return .accepted(made.result) }
        switch made.errno {
        case EAGAIN, EWOULDBLOCK: return .nobodyWaits
        case ECONNABORTED, EPROTO: return .abandoned
        default: return .failed(made.errno)
        }
    }

    static func bind(_ socket: OwnedDescriptor, to path: SocketPath) throws(TransportError) {
        guard path.withAddress({ CLatticeSystem.bind(socket.number, $0, $1) }) == 0 else {
            throw .system("make the socket \(path)", lattice_errno())
        }
    }

    static func listen(_ socket: OwnedDescriptor, backlog: Int32) throws(TransportError) {
        guard CLatticeSystem.listen(socket.number, backlog) == 0 else {
            throw .system("listen on a socket", lattice_errno())
        }
    }

    /// 0, or the system's error number. Never waits.
    static func connect(_ socket: OwnedDescriptor, to path: SocketPath) -> Int32 {
        call { path.withAddress { CLatticeSystem.connect(socket.number, $0, $1) } }.errno
    }
}
