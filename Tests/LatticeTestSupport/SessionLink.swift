package import LatticeTransport

/// The kind of connection under a session.
package enum SessionLink: String, CaseIterable, Sendable {
    case memory
    case socketPair
    /// A ``MessageConnection`` without faults.
    case messages

    /// Runs a test with two ends that are not started, on two reactors.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes that each direction can hold. Sockets have their own capacity.
    ///   - body: The test.
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

    /// Returns two ends that are not started. Both reactors may be the same.
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
