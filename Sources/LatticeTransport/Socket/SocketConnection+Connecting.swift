extension SocketConnection {
    /// Connects to whoever serves at `path`, without waiting.
    ///
    /// - Throws: `.notFound`, `.refused` if nobody serves there, `.busy` if its queue is full, `.wrongUser` if it belongs
    ///   neither to us nor to root, `.system` otherwise.
    package static func connect(to path: SocketPath, reactor: Reactor) throws(TransportError) -> SocketConnection {
        let socket = try System.socket()
        switch System.connect(socket, to: path) {
        case 0: break
        case System.Number.noSuchFile: throw .notFound(path)
        case System.Number.refused: throw .refused(path)
        case System.Number.again: throw .busy(path)
        case let error: throw .system("connect to \(path)", error)
        }
        let peer = System.peer(of: socket.number)
        guard let user = peer.userID else { throw .system("learn who serves at \(path)", System.lastError) }
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
        return (try adopting(local, reactor: reactor), remote)
    }

    /// The other end of `pair` in a process that got it as its standard input, from which it is moved at once: neither a
    /// child nor a library that reads standard input gets hold of it.
    ///
    /// - Throws: `.invalidDescriptor` if standard input is no socket; nothing is changed then.
    package static func takeStandardInput() throws(TransportError) -> OwnedDescriptor {
        try System.moveStandardInput()
    }

    /// The descriptor is the connection's from here on, unless this throws.
    package static func adopting(
        _ descriptor: OwnedDescriptor,
        reactor: Reactor
    ) throws(TransportError) -> SocketConnection {
        let connection = try SocketConnection(adopting: descriptor.number, reactor: reactor)
        _ = descriptor.take()
        return connection
    }
}
