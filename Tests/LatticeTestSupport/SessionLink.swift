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
                switch self {
                case .memory:
                    let (one, other) = MemoryConnection.pair(eventLoop: first, other: second, capacity: capacity)
                    try await body(one, other)
                case .socketPair:
                    let (local, remote) = try SocketConnection.pair(reactor: first)
                    let other = try SocketConnection(adopting: remote, reactor: second)
                    try await body(local, other)
                case .messages:
                    let (one, other) = MessageConnection.pair(eventLoop: first, other: second, capacity: capacity)
                    try await body(one, other)
                }
            }
        }
    }
}
