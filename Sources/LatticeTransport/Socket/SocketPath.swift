import CLatticeSystem

/// The path of a Unix socket, checked for what the system can take.
package struct SocketPath: Sendable, Hashable, CustomStringConvertible {
    /// The longest path in bytes: 107 on Linux, 103 on Apple's systems.
    package static var longest: Int { lattice_longest_path() }

    package let string: String

    /// - Throws: `.invalidPath` if it is empty, too long, contains a zero byte, or names a directory.
    package init(_ path: String) throws(TransportError) {
        guard !path.isEmpty else { throw .emptyPath }
        guard !path.utf8.contains(0) else { throw .pathWithZero(path) }
        guard !path.hasSuffix("/") else { throw .directoryPath(path) }
        guard path.utf8.count <= Self.longest else {
            throw .pathTooLong(path, bytes: path.utf8.count, limit: Self.longest)
        }
        string = path
    }

    package var description: String { string }

    /// The directory that holds the socket.
    var directory: String {
        guard let slash = string.lastIndex(of: "/") else { return "." }
        return slash == string.startIndex ? "/" : String(string[..<slash])
    }

    /// Beside the socket; whoever serves holds a lock of it.
    var lock: String { string + ".lock" }
}
