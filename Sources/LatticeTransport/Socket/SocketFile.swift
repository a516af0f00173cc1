import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The socket file of one listener: claimed under a lock, so that of several that start at once only one serves.
///
/// The lock (`PATH.lock`, flock) is what makes replacing a stale file safe: between finding it stale and binding anew
/// nobody else does the same. The kernel gives it back when its process dies; the file it lies on may stay.
struct SocketFile: Sendable {
    let path: SocketPath
    private let lock: OwnedDescriptor
    private let device: UInt64
    private let node: UInt64

    /// Claims `path` and binds `socket` there, readable and writable for its owner alone.
    ///
    /// - Throws: `.addressInUse` if somebody serves there, `.unsafePath` if others could interfere, `.system` otherwise.
    init(claiming path: SocketPath, for socket: OwnedDescriptor) throws(TransportError) {
        self.path = path
        try Self.checkDirectory(path.directory)
        lock = try Self.takeLock(path)
        do {
            let found = try Self.place(socket, at: path)
            device = UInt64(truncatingIfNeeded: found.st_dev)
            node = UInt64(truncatingIfNeeded: found.st_ino)
        } catch {
            unlink(path.lock)
            throw error
        }
    }

    /// Removes the file if it is still the one that was bound, and gives the lock back. Idempotent.
    func remove() {
        guard lock.number >= 0 else { return }
        if let found = Self.status(path.string), UInt64(truncatingIfNeeded: found.st_dev) == device,
            UInt64(truncatingIfNeeded: found.st_ino) == node
        {
            unlink(path.string)
        }
        // While it is held, so that whoever opened it before finds out and opens the next one.
        unlink(path.lock)
        lock.close()
    }

    // MARK: Claiming

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    private static func kind(_ found: stat) -> mode_t {
        found.st_mode & S_IFMT
    }

    private static func checkDirectory(_ directory: String) throws(TransportError) {
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
    private static func takeLock(_ path: SocketPath) throws(TransportError) -> OwnedDescriptor {
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
            if let there = status(path.lock), there.st_ino == mine.st_ino, there.st_dev == mine.st_dev { return lock }
        }
    }

    /// Called under the lock.
    private static func place(_ socket: OwnedDescriptor, at path: SocketPath) throws(TransportError) -> stat {
        try removeStale(path)
        try System.bind(socket, to: path)
        // Nobody can connect before `listen`, so the time until this does not matter.
        guard chmod(path.string, 0o600) == 0, let found = status(path.string) else {
            throw .system("protect the socket \(path)", lattice_errno())
        }
        return found
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
