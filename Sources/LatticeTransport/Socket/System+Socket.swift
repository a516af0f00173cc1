import CLatticeSystem

extension System {
    /// Creates two connected sockets, which are blocking and close-on-exec.
    static func socketPair() throws(TransportError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard lattice_socket_pair(&ends) == 0 else { throw .system("make a socket pair", lattice_errno()) }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// Creates a socket, which is non-blocking and close-on-exec.
    static func socket() throws(TransportError) -> OwnedDescriptor {
        let made = call { lattice_socket() }
        guard made.result >= 0 else { throw .system("make a socket", made.errno) }
        return OwnedDescriptor(made.result)
    }

    /// The result of accepting a connection.
    enum Acceptance {
        case accepted(Int32)
        case noConnection
        /// The waiting process has given up.
        case abandoned
        case failed(Int32)
    }

    static func accept(_ listener: Int32) -> Acceptance {
        let made = call { lattice_accept(listener) }
        guard made.result < 0 else { return .accepted(made.result) }
        switch made.errno {
        case EAGAIN, EWOULDBLOCK: return .noConnection
        case ECONNABORTED, EPROTO: return .abandoned
        default: return .failed(made.errno)
        }
    }

    /// Connects without waiting. Returns 0 or the system's error number.
    static func connect(_ socket: OwnedDescriptor, to path: SocketPath) -> Int32 {
        call { path.withAddress { CLatticeSystem.connect(socket.number, $0, $1) } }.errno
    }
}
