import CLatticeSystem

/// The path of a Unix socket, validated against the limits of the system.
package struct SocketPath: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a path in bytes: 107 on Linux, 103 on Apple's systems.
    package static var longest: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// The path as text.
    package let string: String

    /// Validates a path.
    ///
    /// - Throws: `.invalidPath` if the path is empty, is too long, contains a zero byte, or names a directory.
    package init(_ path: String) throws(TransportError) {
        guard !path.isEmpty else { throw .invalidPath("The socket path is empty. Give the path of a file.") }
        guard !path.utf8.contains(0) else {
            let shown = path.split(separator: "\0").joined(separator: "\\0")
            throw .invalidPath("The socket path \(shown) contains a zero byte. Remove it.")
        }
        guard !path.hasSuffix("/") else {
            throw .invalidPath("The socket path \(path) names a directory. Give the path of a file in it.")
        }
        guard path.utf8.count <= Self.longest else {
            throw .invalidPath(
                "The socket path \(path) has \(path.utf8.count) bytes, and a socket path has at most \(Self.longest)"
                    + " here. Choose a shorter one."
            )
        }
        string = path
    }

    package var description: String { string }

    /// The directory that holds the socket.
    var directory: String {
        guard let slash = string.lastIndex(of: "/") else { return "." }
        return slash == string.startIndex ? "/" : String(string[..<slash])
    }

    /// Calls `body` with the path as a socket address of the system.
    func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: string.utf8) }
        return withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { all in
                all.baseAddress.map { body($0, socklen_t(bytes.count)) } ?? -1
            }
        }
    }

    /// The path of the lock file next to the socket. The process that serves at the path holds a lock on it.
    var lock: String { string + ".lock" }
}

extension SocketPath {
    /// Returns the directory for the sockets of this user: a directory `name` in the directory that the system gives
    /// each user (`XDG_RUNTIME_DIR`, or the user's temporary directory on Apple's systems), or else `/tmp/name-UID`.
    ///
    /// A listener creates the directory and checks its owner.
    ///
    /// - Throws: `.unsafePath` if the variable names a directory of another user.
    package static func runtimeDirectory(_ name: String) throws(TransportError) -> String {
        #if canImport(Darwin)
        if let own = temporaryDirectory { return directory(name, in: own) }
        return fallback(name)
        #else
        return try runtimeDirectory(name, variable: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
        #endif
    }

    /// Returns the directory for the sockets of this user.
    ///
    /// - Parameters:
    ///   - name: The name of the directory.
    ///   - variable: The value of `XDG_RUNTIME_DIR`. A relative path, and a path without a directory, are ignored. A
    ///     directory of another user, which can be inherited through `su`, is an error, so that the user learns of it.
    static func runtimeDirectory(_ name: String, variable: String?) throws(TransportError) -> String {
        var found = stat()
        guard let variable, variable.hasPrefix("/"), stat(variable, &found) == 0,
            UInt32(found.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR)
        else {
            return fallback(name)
        }
        guard found.st_uid == System.userID else {
            throw .unsafe(
                "XDG_RUNTIME_DIR",
                "is \(variable), which belongs to user \(found.st_uid), not to user \(System.userID)",
                "Set it to a directory of your own, or unset it."
            )
        }
        return directory(name, in: variable)
    }

    private static func directory(_ name: String, in parent: String) -> String {
        (parent.hasSuffix("/") ? parent : parent + "/") + name
    }

    private static func fallback(_ name: String) -> String {
        "/tmp/\(name)-\(System.userID)"
    }

    #if canImport(Darwin)
    private static var temporaryDirectory: String? {
        let length = confstr(_CS_DARWIN_USER_TEMP_DIR, nil, 0)
        guard length > 1 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text in
            guard let start = text.baseAddress, confstr(_CS_DARWIN_USER_TEMP_DIR, start, length) == length else {
                return nil
            }
            return String(cString: start)
        }
    }
    #endif
}
