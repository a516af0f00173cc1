import CLatticeSystem

extension System {
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

    /// 0, or the system's error number. Never waits.
    static func connect(_ socket: OwnedDescriptor, to path: SocketPath) -> Int32 {
        call { path.withAddress { CLatticeSystem.connect(socket.number, $0, $1) } }.errno
    }
}
