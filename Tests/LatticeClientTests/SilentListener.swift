import LatticeTransport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A socket that takes connections and never says a word, as that of a stopped process.
enum SilentListener {
    static func with(_ body: (String) async throws -> Void) async throws {
        let directory = "/tmp/lattice-silent-\(UInt32.random(in: 0...(.max)))"
        mkdir(directory, 0o700)
        let path = directory + "/s"
        let listener = socket(AF_UNIX, stream, 0)
        defer {
            close(listener)
            unlink(path)
            rmdir(directory)
        }
        try #require(withAddress(path) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 1) == 0)
        try await body(path)
    }

    /// Connects until the listener's queue is full.
    static func fill(_ path: String, _ body: () async throws -> Void) async throws {
        var connections: [Int32] = []
        defer { for connection in connections { close(connection) } }
        while true {
            let connection = socket(AF_UNIX, stream, 0)
            connections.append(connection)
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            if withAddress(path, { connect(connection, $0, $1) }) != 0 { break }
        }
        try await body()
    }

    private static var stream: Int32 {
        #if canImport(Darwin)
        SOCK_STREAM
        #else
        Int32(SOCK_STREAM.rawValue)
        #endif
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
