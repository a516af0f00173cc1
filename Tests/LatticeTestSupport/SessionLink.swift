package import LatticeTransport

/// What a session runs over.
package enum SessionLink: String, CaseIterable, Sendable {
    case memory
    case socketPair
    /// Messages, of which none is lost.
    case messages

    /// Two ends, not started, on two reactors.
    ///
    /// - Parameter capacity: What each direction holds; sockets have their own.
    package func withEnds(
        capacity: Int = 256 * 1024,
        _ body: (any Connection, any Connection) async throws -> Void
    ) async throws {
        try await withReactor { first in
            try await withReactor { second in
                let (one, other) = try ends(first, second, capacity: capacity)
                try await body(one, other)
            }
        }
    }

    /// Two ends, not started, on two reactors, or twice on one.
    func ends(
        _ first: Reactor,
        _ second: Reactor,
        capacity: Int = 256 * 1024
    ) throws -> (any Connection, any Connection) {
        switch self {
        case .memory:
            return MemoryConnection.pair(eventLoop: first, other: second, capacity: capacity)
        case .socketPair:
            let (local, remote) = try SocketConnection.pair(reactor: first)
            return (local, try SocketConnection(adopting: remote, reactor: second))
        case .messages:
            return MessageConnection.pair(eventLoop: first, other: second, capacity: capacity)
        }
    }
}
