import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension SocketFile {
    /// Connections that wait to be accepted; those beyond it wait in `connect`, or hear that the queue is full.
    static let backlog: Int32 = 128

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    private static func kind(_ found: stat) -> mode_t {
        found.st_mode & S_IFMT
    }

    static func checkDirectory(_ directory: String) throws(TransportError) {
        if mkdir(directory, 0o700) == 0 {
            // Whatever the process's mask takes away: without it nobody could go on here, or remove the socket.
            chmod(directory, 0o700)
        } else if lattice_errno() != EEXIST {
            let error = lattice_errno()
            guard status(directory) != nil else { throw .system("make the directory \(directory)", error) }
        }
        guard let found = status(directory) else { throw .system("find the directory \(directory)", lattice_errno()) }
        guard kind(found) == S_IFDIR else {
            let what = kind(found) == S_IFLNK ? "is a symbolic link" : "is not a directory"
            throw .unsafe(directory, what, "Give a socket path in a real directory of your own.")
        }
        guard found.st_uid == System.userID || found.st_uid == 0 else {
            throw .unsafe(
                directory,
                "belongs to user \(found.st_uid)",
                "Give a socket path in a directory of your own."
            )
        }
        guard found.st_mode & 0o022 == 0 || found.st_mode & S_ISVTX != 0 else {
            throw .unsafe(
                directory,
                "can be changed by other users",
                "Make it private (chmod 700) or give a socket path in another directory."
            )
        }
    }

    /// Opens and locks until the file locked is the one at the path: another owner may remove it in between.
    static func takeLock(_ path: SocketPath) throws(TransportError) -> Held {
        while true {
            let opened = System.call { lattice_open_lock(path.lock) }
            guard opened.result >= 0 else {
                guard opened.errno == ELOOP || opened.errno == EISDIR || opened.errno == ENXIO else {
                    throw .system("open the lock \(path.lock)", opened.errno)
                }
                throw .unsafe(path.lock, "is not a regular file", "Remove it or choose another socket path.")
            }
            let lock = OwnedDescriptor(opened.result)
            var mine = stat()
            guard fstat(lock.number, &mine) == 0 else { throw .system("check the lock \(path.lock)", lattice_errno()) }
            guard kind(mine) == S_IFREG, mine.st_uid == System.userID else {
                let what = kind(mine) == S_IFREG ? "belongs to user \(mine.st_uid)" : "is not a regular file"
                throw .unsafe(path.lock, what, "Remove it or choose another socket path.")
            }
            let locked = System.call { lattice_try_lock(lock.number) }
            guard locked.result == 0 else {
                throw locked.errno == EWOULDBLOCK ? .addressInUse(path) : .system("lock \(path.lock)", locked.errno)
            }
            let identity = FileIdentity(mine)
            if FileIdentity(at: path.lock) == identity { return Held(descriptor: lock, identity: identity) }
        }
    }

    /// A socket that listens at the path. Called under the lock.
    static func listen(at path: SocketPath) throws(TransportError) -> Held {
        let socket = try System.socket()
        try removeStale(path)
        try System.bind(socket, to: path)
        do throws(TransportError) {
            // Nobody can connect before `listen`, so the time until this does not matter.
            guard chmod(path.string, 0o600) == 0, let identity = FileIdentity(at: path.string) else {
                throw .system("protect the socket \(path)", lattice_errno())
            }
            try System.listen(socket, backlog: backlog)
            return Held(descriptor: socket, identity: identity)
        } catch {
            unlink(path.string)
            throw error
        }
    }

    private static func removeStale(_ path: SocketPath) throws(TransportError) {
        guard let found = status(path.string) else { return }
        guard kind(found) == S_IFSOCK else {
            let what = kind(found) == S_IFLNK ? "is a symbolic link" : "is not a socket"
            throw .unsafe(path.string, what, "Remove it or choose another socket path.")
        }
        guard found.st_uid == System.userID else {
            throw .unsafe(path.string, "belongs to user \(found.st_uid)", "Choose another socket path.")
        }
        // Whoever serves there may not know of the lock.
        switch System.connect(try System.socket(), to: path) {
        case ECONNREFUSED:
            guard unlink(path.string) == 0 || lattice_errno() == ENOENT else {
                throw .system("remove the stale socket \(path)", lattice_errno())
            }
        case ENOENT: break
        default: throw .addressInUse(path)
        }
    }
}
