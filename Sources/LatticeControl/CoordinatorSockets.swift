import LatticeProcess
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The sockets at which coordinators of this user listen or have listened.
public enum CoordinatorSockets {
    /// The maximum number of sockets that are looked for, and of names that are read in one folder.
    private static let maximum = 4096

    /// The paths of the sockets of this user's coordinators, in alphabetical order. A path can be that of a coordinator
    /// that was killed, because its socket remains.
    ///
    /// A coordinator has a lock file next to its socket. Sockets with a lock file are found in the folders of
    /// `runtimeDirectory(_:)`: below `XDG_RUNTIME_DIR`, and below `/tmp` in folders whose names end in the user's ID.
    /// On Linux, sockets at which a process listens are also found at any other path.
    public static var paths: [String] {
        let user = Peer.Credentials.current.userID
        var folders = folders(in: "/tmp", matching: { $0.hasSuffix("-\(user)") })
        if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/") {
            folders += Self.folders(in: runtime, matching: { _ in true })
        }
        var found: Set<String> = []
        for folder in folders {
            for name in SmallFile.names(in: folder, atMost: maximum) ?? [] where name.hasSuffix(".lock") {
                found.insert("\(folder)/\(name.dropLast(".lock".count))")
            }
        }
        #if os(Linux)
        found.formUnion(listening(in: SmallFile.read("/proc/net/unix") ?? "").prefix(maximum))
        #endif
        return found.filter { isCoordinatorSocket($0, of: user) }.sorted()
    }

    private static func folders(in parent: String, matching matches: (String) -> Bool) -> [String] {
        (SmallFile.names(in: parent, atMost: maximum) ?? []).filter(matches).map { "\(parent)/\($0)" }
    }

    /// Parses the list of Unix sockets that Linux provides, and returns the paths at which a process listens.
    static func listening(in text: String) -> [String] {
        // The columns are: address, reference count, protocol, flags, type, state, inode, path. The flag 0x10000 marks
        // a socket that accepts connections.
        text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
            guard columns.count == 8, let flags = UInt32(columns[3], radix: 16), flags & 0x10000 != 0,
                columns[7].hasPrefix("/")
            else { return nil }
            return String(columns[7])
        }
    }

    /// Returns whether a path names a socket of a user with a lock file next to it.
    private static func isCoordinatorSocket(_ path: String, of user: UInt32) -> Bool {
        var (socket, lock) = (stat(), stat())
        guard lstat(path, &socket) == 0, lstat(path + ".lock", &lock) == 0 else { return false }
        return socket.st_mode & S_IFMT == S_IFSOCK && lock.st_mode & S_IFMT == S_IFREG && socket.st_uid == user
            && lock.st_uid == user
    }
}
