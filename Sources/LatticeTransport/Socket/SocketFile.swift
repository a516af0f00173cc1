import CLatticeSystem

/// The socket file of one listener. It is claimed under a lock, so that only one of several listeners that start at
/// once serves.
///
/// The lock (`PATH.lock`, flock) makes it safe to replace a stale file, because other processes cannot do the same
/// between finding the file stale and binding again. The kernel releases the lock when its process dies. The lock file
/// may remain.
///
/// Any program of this user can delete or replace either file. ``missing`` detects that, and ``restore(_:)`` creates
/// the files again.
struct SocketFile: Sendable {
    let path: SocketPath
    private var lock: Held
    private var socket: FileIdentity
    private var isRemoved = false

    /// A file that is held open.
    struct Held: Sendable {
        let descriptor: OwnedDescriptor
        let identity: FileIdentity
    }

    /// Claims `path` and listens there. Only the owner can read and write the socket.
    ///
    /// - Returns: The file, and the listening socket.
    /// - Throws: `.addressInUse` if another process serves there, `.unsafePath` if other users could interfere, and
    ///   otherwise `.system`.
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

    /// The files that are no longer at their paths, because they were deleted or replaced. It is empty after
    /// ``remove()``.
    var missing: SocketParts {
        guard !isRemoved else { return [] }
        var missing: SocketParts = []
        if FileIdentity(at: path.string) != socket { missing.insert(.socket) }
        if FileIdentity(at: path.lock) != lock.identity { missing.insert(.lock) }
        return missing
    }

    /// Creates missing files again, with all checks of the first time. If a check fails, nothing is changed.
    ///
    /// - Returns: The socket that listens at the path from now on, if that file was missing.
    /// - Throws: The errors of ``claim(_:)``, and `.addressInUse` also if another process has the lock by now.
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

    /// Removes the files that still belong to this listener, and releases the lock. Files that others have put in their
    /// place remain. It can be called more than once.
    mutating func remove() {
        guard !isRemoved else { return }
        let missing = missing
        isRemoved = true
        if !missing.contains(.socket) { unlink(path.string) }
        // The lock file is removed while the lock is held. A process that opened it before then notices that, and opens
        // the next one.
        if !missing.contains(.lock) { unlink(path.lock) }
        lock.descriptor.close()
    }
}

extension SocketFile {
    /// The maximum number of connections that wait to be accepted. Further ones wait in `connect`, or receive an error
    /// that the queue is full.
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

    /// Opens and locks the lock file, until the locked file is the one at the path. Another owner may remove the file
    /// in between.
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
            // The process's mask may have removed rights. After a kill, no later process could open the file again.
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

    /// Restores the rights of this user to a file of their own. A coordinator may have been killed before it set them.
    ///
    /// - Returns: Whether the rights were missing.
    private static func giveRights(to path: String, of kind: UInt32) -> Bool {
        guard let found = status(path), self.kind(found) == kind, found.st_uid == System.userID,
            found.st_mode & 0o600 != 0o600
        else {
            return false
        }
        return chmod(path, 0o600) == 0
    }

    /// Creates a socket that listens at the path. Call it under the lock.
    static func listen(at path: SocketPath) throws(TransportError) -> Held {
        let socket = try System.socket()
        try removeStale(path)
        guard path.withAddress({ bind(socket.number, $0, $1) }) == 0 else {
            throw .system("make the socket \(path)", lattice_errno())
        }
        do throws(TransportError) {
            // No process can connect before `listen`, so the rights until then do not matter.
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
        // The process that serves there may not know of the lock.
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

/// The files of a listener.
package struct SocketParts: OptionSet, Sendable, Hashable {
    /// The socket file.
    package static let socket = SocketParts(rawValue: 1)
    /// The lock file.
    package static let lock = SocketParts(rawValue: 2)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// The identity of a file, independent of its name.
///
/// The system reuses the number of a file only when no process has the file open and no socket is bound to it any more.
/// The files that a listener holds are therefore distinguished from all later files.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let node: UInt64

    init(_ found: stat) {
        device = UInt64(truncatingIfNeeded: found.st_dev)
        node = UInt64(truncatingIfNeeded: found.st_ino)
    }

    /// Identifies the file at the path itself, even if it is a link. It is nil if there is no file, or if it cannot be
    /// examined.
    init?(at path: String) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        self.init(found)
    }
}
