import LatticeFaults
import LatticeTestSupport
import LatticeTransport
import Testing

/// The ways in which two connections come to be the ends of one: what the conformance suite runs over.
enum Link: CaseIterable, CustomTestStringConvertible, Equatable, Sendable {
    case memory
    case memoryOnOneReactor
    /// Messages, of which none is lost.
    case messages
    /// A link on which some reads are split into small pieces or late.
    case faulty
    case socketPair(Reactor.Backend)
    case listener(Reactor.Backend)

    static var allCases: [Link] {
        [.memory, .memoryOnOneReactor, .messages, .faulty]
            + Reactor.Backend.allCases.flatMap { [.socketPair($0), .listener($0)] }
    }

    var testDescription: String {
        switch self {
        case .memory: "memory"
        case .memoryOnOneReactor: "memory on one reactor"
        case .messages: "messages"
        case .faulty: "socket pair with faults"
        case .socketPair(let backend): "socket pair, \(backend)"
        case .listener(let backend): "listener, \(backend)"
        }
    }

    private var backend: Reactor.Backend {
        switch self {
        case .memory, .memoryOnOneReactor, .messages, .faulty: .platformDefault
        case .socketPair(let backend), .listener(let backend): backend
        }
    }

    /// Two ends, not started, on two reactors (or one); everything is gone afterwards.
    func withEnds(_ body: (any Connection, any Connection) async throws -> Void) async throws {
        try await withReactor(backend) { first in
            try await withReactor(backend) { second in
                switch self {
                case .memory:
                    let (one, other) = MemoryConnection.pair(eventLoop: first, other: second)
                    try await body(one, other)
                case .memoryOnOneReactor:
                    let (one, other) = MemoryConnection.pair(eventLoop: first)
                    try await body(one, other)
                case .messages:
                    let (one, other) = MessageConnection.pair(eventLoop: first, other: second)
                    try await body(one, other)
                case .faulty:
                    let (local, remote) = try SocketConnection.pair(reactor: first)
                    let other = try SocketConnection(adopting: remote, reactor: second)
                    let scope = FaultPlan.Scope(
                        faults: 40,
                        bytes: 20_000,
                        directions: [.reading],
                        kinds: [.split, .stall]
                    )
                    try await body(
                        FaultyConnection(local, FaultPlan(seed: 1, scope)),
                        FaultyConnection(other, FaultPlan(seed: 2, scope))
                    )
                case .socketPair:
                    let (local, remote) = try SocketConnection.pair(reactor: first)
                    let other = try SocketConnection(adopting: remote, reactor: second)
                    try await body(local, other)
                case .listener:
                    try await withListenedEnds(first, second, body)
                }
            }
        }
    }

    private func withListenedEnds(
        _ first: Reactor,
        _ second: Reactor,
        _ body: (any Connection, any Connection) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let accepted = Watched<SocketConnection?>(nil)
            let path = try SocketPath(directory + "/s")
            let listener = try SocketListener(path: path, reactor: second) { connection in
                accepted.change { $0 = connection }
            }
            defer { listener.close() }
            let client = try SocketConnection.connect(to: path, reactor: first)
            try await accepted.until { $0 != nil }
            guard let server = accepted.value else { return }
            try await body(client, server)
        }
    }
}
