#if os(Linux)
import Foundation
import Synchronization

/// A path socket in front of another one. Tests can stall and break its connections.
///
/// Each connection has a thread for each direction. Bytes from clients are always passed on. Bytes to clients wait
/// while the relay is held, so that its clients seem not to read.
final class Relay: Sendable {
    private let target: String
    private let listener: Int32
    private let connections = Mutex<Set<Int32>>([])
    /// Passed by every piece that goes to a client; taken while the relay is held.
    private let gate = DispatchSemaphore(value: 1)
    private let isHeldNow = Mutex(false)

    /// - Parameter path: Where it listens.
    init(from path: String, to target: String) throws {
        self.target = target
        listener = try Self.socket(at: path, bind)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EINVAL) }
        Thread.detachNewThread { [self] in acceptAll() }
    }

    var isHeld: Bool { isHeldNow.withLock(\.self) }

    /// Lets nothing more through to clients, or all that has waited.
    func hold(_ isHeld: Bool) {
        isHeldNow.withLock { now in
            guard now != isHeld else { return }
            now = isHeld
            if isHeld { gate.wait() } else { gate.signal() }
        }
    }

    /// Loses all connections there are, with whatever is on them.
    func cut() {
        connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    /// Ends it with all its connections.
    func close() {
        hold(false)
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    private func acceptAll() {
        while case let client = accept(listener, nil, nil), client >= 0 {
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            guard let server = try? Self.socket(at: target, connect) else {
                Glibc.close(client)
                continue
            }
            connections.withLock { _ = $0.insert(client) }
            Thread.detachNewThread { [self] in
                let up = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    Self.pass(from: client, to: server) {}
                    up.signal()
                }
                Self.pass(from: server, to: client) { [gate] in
                    gate.wait()
                    gate.signal()
                }
                up.wait()
                connections.withLock { _ = $0.remove(client) }
                Glibc.close(client)
                Glibc.close(server)
            }
        }
        Glibc.close(listener)
    }

    /// Passes bytes on until one end is closed, then closes the other.
    private static func pass(from source: Int32, to target: Int32, _ wait: () -> Void) {
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = read(source, &piece, piece.count), count > 0 {
            wait()
            var sent = 0
            while sent < count {
                let more = piece.withUnsafeBytes { bytes in
                    send(target, bytes.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { break }
                sent += more
            }
            if sent < count { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private static func socket(
        at path: String,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            Glibc.close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL)
        }
        return descriptor
    }
}
#endif
