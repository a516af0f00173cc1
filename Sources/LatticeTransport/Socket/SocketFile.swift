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
    /// - Throws: `.addressInUse` if somebody serves there, `.unsafePath` if others could interfere, `.system` otherwise.
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
