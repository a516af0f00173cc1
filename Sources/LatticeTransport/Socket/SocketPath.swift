import CLatticeSystem

/// The path of a Unix socket, checked for what the system can take.
package struct SocketPath: Sendable, Hashable, CustomStringConvertible {
    /// The longest path in bytes: 107 on Linux, 103 on Apple's systems.
    package static var longest: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    package let string: String

    /// - Throws: `.invalidPath` if it is empty, too long, contains a zero byte, or names a directory.
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

    /// Calls `body` with the path as the system has it.
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

    /// Beside the socket; whoever serves holds a lock of it.
    var lock: String { string + ".lock" }
}

extension SocketPath {
    /// Where the sockets of this user belong: in a directory `name` of the one the system gives each user
    /// (`XDG_RUNTIME_DIR`, or the user's temporary directory on Apple's systems), else `/tmp/name-UID`.
    ///
    /// A listener makes the directory and checks whose it is.
    ///
    /// - Throws: `.unsafePath` if the variable names a directory of somebody else.
    package static func runtimeDirectory(_ name: String) throws(TransportError) -> String {
        #if canImport(Darwin)
        if let own = temporaryDirectory { return directory(name, in: own) }
        return fallback(name)
        #else
        return try runtimeDirectory(name, variable: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
        #endif
    }

    /// - Parameter variable: What `XDG_RUNTIME_DIR` says. A relative path, and one at which there is no directory,
    ///   count as nothing. A directory of somebody else, as it is inherited through `su`, does not: whoever set it
    ///   should know.
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
