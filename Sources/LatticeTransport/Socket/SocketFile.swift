import CLatticeSystem

/// The socket file of one listener: claimed under a lock, so that of several that start at once only one serves.
///
/// The lock (`PATH.lock`, flock) is what makes replacing a stale file safe: between finding it stale and binding anew
/// nobody else does the same. The kernel gives it back when its process dies; the file it lies on may stay.
///
/// Any program of this user can delete or replace either file. ``missing`` finds out, ``restore(_:)`` makes it again.
struct SocketFile: Sendable {
    let path: SocketPath
    private var lock: Held
    private var socket: FileIdentity
    private var isRemoved = false

    /// A file that is open.
    struct Held: Sendable {
        let descriptor: OwnedDescriptor
        let identity: FileIdentity
    }

    /// Claims `path` and listens there, readable and writable for its owner alone.
    ///
    /// - Returns: The file, and the socket that listens.
    /// - Throws: `.addressInUse` if somebody serves there, `.unsafePath` if others could interfere, `.system`
    ///   otherwise.
    static func claim(_ path: SocketPath) throws(TransportError) -> (file: SocketFile, socket: OwnedDescriptor) {
        try checkDirectory(path.directory)
        let lock = try takeLock(path)
        do throws(TransportError) {
            let socket = try listen(at: path)
            return (SocketFile(path: path, lock: lock, socket: socket.identity), socket.descriptor)
        } catch {
            unlink(path.lock)
            throw error
        }
    }

    private init(path: SocketPath, lock: Held, socket: FileIdentity) {
        self.path = path
        self.lock = lock
        self.socket = socket
    }

    /// What is not at the path any more: nothing is there, or something else. Nothing after ``remove()``.
    var missing: SocketParts {
        guard !isRemoved else { return [] }
        var missing: SocketParts = []
        if FileIdentity(at: path.string) != socket { missing.insert(.socket) }
        if FileIdentity(at: path.lock) != lock.identity { missing.insert(.lock) }
        return missing
    }

    /// Makes again what is missing, with all the checks of the first time; if one fails, nothing is changed.
    ///
    /// - Returns: The socket that listens at the path from now on, if that was missing.
    /// - Throws: What ``claim(_:)`` throws; `.addressInUse` also if somebody else has the lock by now.
    mutating func restore(_ missing: SocketParts) throws(TransportError) -> OwnedDescriptor? {
        guard !missing.isEmpty else { return nil }
        try Self.checkDirectory(path.directory)
        let newLock = missing.contains(.lock) ? try Self.takeLock(path) : nil
        do throws(TransportError) {
            let newSocket = missing.contains(.socket) ? try Self.listen(at: path) : nil
            lock = newLock ?? lock
            socket = newSocket?.identity ?? socket
            return newSocket?.descriptor
        } catch {
            if newLock != nil { unlink(path.lock) }
            throw error
        }
    }

    /// Removes what is still there and gives the lock back. What others put in its place stays. Idempotent.
    mutating func remove() {
        guard !isRemoved else { return }
        let missing = missing
        isRemoved = true
        if !missing.contains(.socket) { unlink(path.string) }
        // While it is held, so that whoever opened it before finds out and opens the next one.
        if !missing.contains(.lock) { unlink(path.lock) }
        lock.descriptor.close()
    }
}

extension SocketFile {
    /// Connections that wait to be accepted; those beyond it wait in `connect`, or hear that the queue is full.
    static let backlog: Int32 = 128

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    private static func kind(_ found: stat) -> UInt32 {
        UInt32(found.st_mode) & UInt32(S_IFMT)
    }

    static func checkDirectory(_ directory: String) throws(TransportError) {
        let error = System.makeFolder(directory, 0o700)
        if error != 0, error != EEXIST {
            guard status(directory) != nil else { throw .system("make the directory \(directory)", error) }
        }
        guard let found = status(directory) else { throw .system("find the directory \(directory)", lattice_errno()) }
        guard kind(found) == UInt32(S_IFDIR) else {
            let what = kind(found) == UInt32(S_IFLNK) ? "is a symbolic link" : "is not a directory"
            throw .unsafe(directory, what, "Give a socket path in a real directory of your own.")
        }
        guard found.st_uid == System.userID || found.st_uid == 0 else {
            throw .unsafe(
                directory,
                "belongs to user \(found.st_uid)",
                "Give a socket path in a directory of your own."
            )
        }
        guard found.st_mode & 0o022 == 0 || UInt32(found.st_mode) & UInt32(S_ISVTX) != 0 else {
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
            if opened.errno == EACCES, giveRights(to: path.lock, of: UInt32(S_IFREG)) { continue }
            guard opened.result >= 0 else {
                guard opened.errno == ELOOP || opened.errno == EISDIR || opened.errno == ENXIO else {
                    throw .system("open the lock \(path.lock)", opened.errno)
                }
                throw .unsafe(path.lock, "is not a regular file", "Remove it or choose another socket path.")
            }
            let lock = OwnedDescriptor(opened.result)
            var mine = stat()
            guard fstat(lock.number, &mine) == 0 else { throw .system("check the lock \(path.lock)", lattice_errno()) }
            guard kind(mine) == UInt32(S_IFREG), mine.st_uid == System.userID else {
                let what = kind(mine) == UInt32(S_IFREG) ? "belongs to user \(mine.st_uid)" : "is not a regular file"
                throw .unsafe(path.lock, what, "Remove it or choose another socket path.")
            }
            // Whatever the process's mask has taken away: after a kill nobody could open it again.
            guard fchmod(lock.number, 0o600) == 0 else {
                throw .system("protect the lock \(path.lock)", lattice_errno())
            }
            let locked = System.call { lattice_try_lock(lock.number) }
            guard locked.result == 0 else {
                throw locked.errno == EWOULDBLOCK ? .addressInUse(path) : .system("lock \(path.lock)", locked.errno)
            }
            let identity = FileIdentity(mine)
            if FileIdentity(at: path.lock) == identity { return Held(descriptor: lock, identity: identity) }
        }
    }

    /// Gives this user the rights to a file of theirs, which a coordinator may have been killed before it did.
    ///
    /// - Returns: Whether they were lacking.
    private static func giveRights(to path: String, of kind: UInt32) -> Bool {
        guard let found = status(path), self.kind(found) == kind, found.st_uid == System.userID,
            found.st_mode & 0o600 != 0o600
        else {
            return false
        }
        return chmod(path, 0o600) == 0
    }

    /// A socket that listens at the path. Called under the lock.
    static func listen(at path: SocketPath) throws(TransportError) -> Held {
        let socket = try System.socket()
        try removeStale(path)
        guard path.withAddress({ bind(socket.number, $0, $1) }) == 0 else {
            throw .system("make the socket \(path)", lattice_errno())
        }
        do throws(TransportError) {
            // Nobody can connect before `listen`, so the time until this does not matter.
            guard chmod(path.string, 0o600) == 0, let identity = FileIdentity(at: path.string) else {
                throw .system("protect the socket \(path)", lattice_errno())
            }
            guard CLatticeSystem.listen(socket.number, backlog) == 0 else {
                throw .system("listen on a socket", lattice_errno())
            }
            return Held(descriptor: socket, identity: identity)
        } catch {
            unlink(path.string)
            throw error
        }
    }

    private static func removeStale(_ path: SocketPath) throws(TransportError) {
        guard let found = status(path.string) else { return }
        guard kind(found) == UInt32(S_IFSOCK) else {
            let what = kind(found) == UInt32(S_IFLNK) ? "is a symbolic link" : "is not a socket"
            throw .unsafe(path.string, what, "Remove it or choose another socket path.")
        }
        guard found.st_uid == System.userID else {
            throw .unsafe(path.string, "belongs to user \(found.st_uid)", "Choose another socket path.")
        }
        _ = giveRights(to: path.string, of: UInt32(S_IFSOCK))
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

/// The two files of a listener.
package struct SocketParts: OptionSet, Sendable, Hashable {
    package static let socket = SocketParts(rawValue: 1)
    package static let lock = SocketParts(rawValue: 2)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// Which file it is, under whatever name.
///
/// The number of a file is free for another one only when nobody has it open and no socket is bound to it any more, so
/// that what a listener holds is told from all that comes later.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let node: UInt64

    init(_ found: stat) {
        device = UInt64(truncatingIfNeeded: found.st_dev)
        node = UInt64(truncatingIfNeeded: found.st_ino)
    }

    /// What is at the path itself, also if that is a link; nil if nothing is, or if it cannot be looked at.
    init?(at path: String) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        self.init(found)
    }
}
