#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension SocketPath {
    /// Where the sockets of this user belong: in a directory `name` of the one the system gives each user
    /// (`XDG_RUNTIME_DIR`, or the user's temporary directory on Apple's systems), else `/tmp/name-UID`.
    ///
    /// A listener makes the directory and checks whose it is.
    package static func runtimeDirectory(_ name: String = "lattice") -> String {
        #if canImport(Darwin)
        let length = confstr(_CS_DARWIN_USER_TEMP_DIR, nil, 0)
        if length > 1 {
            let own = withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text -> String? in
                guard let start = text.baseAddress, confstr(_CS_DARWIN_USER_TEMP_DIR, start, length) == length else {
                    return nil
                }
                return String(cString: start)
            }
            if let own { return (own.hasSuffix("/") ? own : own + "/") + name }
        }
        #else
        if let own = getenv("XDG_RUNTIME_DIR") {
            let own = String(cString: own)
            if own.hasPrefix("/"), isDirectoryOfOurs(own) { return (own.hasSuffix("/") ? own : own + "/") + name }
        }
        #endif
        return "/tmp/\(name)-\(System.userID)"
    }

    /// A variable that was inherited through `su` names another user's directory.
    private static func isDirectoryOfOurs(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR && found.st_uid == System.userID
    }
}
