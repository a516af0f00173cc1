/// The figures of one program in a result file.
package struct BenchRow: Equatable, Sendable {
    /// The name of the row in its file.
    package let name: String
    /// The name of the file.
    package let file: String
    /// A Boolean value that indicates whether the row was measured by a benchmark of Lattice.
    package let isOurs: Bool
    /// The figures by their keys. All of them are greater than 0.
    package let figures: [String: Double]
    /// The number of rounds of which the figures are medians, or nil if the file does not say it.
    package let rounds: Int?

    /// A Boolean value that indicates whether the row measures remote calls. Other rows measure messages.
    ///
    /// The figures of both have the same keys, so the name of the row decides. The name of a row of calls contains
    /// "actors" or "call", or begins with "erlang" or "grpc", in upper or lower case.
    package var isOfCalls: Bool {
        let name = name.lowercased()
        return ["actors", "call"].contains { name.contains($0) } || ["erlang", "grpc"].contains { name.hasPrefix($0) }
    }

    /// The name of the row in charts.
    package var title: String { Self.titles[name] ?? name }

    /// The titles of rows whose names in result files are short.
    private static let titles = [
        "session": "Lattice, measured at the session",
        "lattice-session": "Lattice, measured at the session",
        "view-model": "Lattice, measured at a view model on the main actor",
        "lattice-view-model": "Lattice, measured at a view model on the main actor",
        "actors": "Lattice, call of an actor in a worker",
        "lattice-actors": "Lattice, call of an actor in a worker",
        "raw-uds": "raw sockets in C, blocking",
        "raw-uds-epoll": "raw sockets in C, epoll",
        "raw-uds-nobatch": "raw sockets in C, one write for each message",
        "raw-uds-spin": "raw sockets in C, spinning for 50 µs before blocking",
        "raw-relay": "raw sockets in C, relayed by a third process",
        "raw-relay-spin": "raw sockets in C, relayed by a third process, spinning for 50 µs before blocking",
        "zeromq": "ZeroMQ",
        "redis-pubsub": "Redis, PUBLISH and SUBSCRIBE",
        "redis-list": "Redis, LPUSH and BRPOP",
        "dbus": "D-Bus, method calls and signals",
        "node-json": "Node.js, process.send, JSON",
        "node-advanced": "Node.js, process.send, advanced serialization",
        "python-pipe": "Python, multiprocessing.Pipe",
        "erlang": "Erlang/OTP, gen_server between two nodes",
        "grpc-unary": "gRPC Swift, unary over a Unix socket",
        "grpc-unary-nocoalesce": "gRPC Swift, unary, no flush coalescing",
        "grpc-stream": "gRPC Swift, one stream over a Unix socket",
        "grpc-stream-nocoalesce": "gRPC Swift, one stream, no flush coalescing",
    ]
}
