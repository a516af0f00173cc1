import CLatticeSystem

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A listening Unix socket that another process has opened, such as a service manager.
package struct InheritedSocket: Sendable {
    /// The socket, which is non-blocking and close-on-exec.
    let descriptor: OwnedDescriptor
    /// The path at which it listens.
    package let path: SocketPath

    /// Takes a socket that this process has inherited. It belongs to the caller until this has succeeded.
    ///
    /// - Throws: `.invalidDescriptor` if the descriptor is not a stream socket that listens at a path.
    package init(taking descriptor: Int32) throws(TransportError) {
        func option(_ name: Int32) -> Int32? {
            var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        guard option(SO_TYPE) == Self.stream else {
            throw .inheritance(descriptor, "is no stream socket", "Use ListenStream= in the .socket unit.")
        }
        guard option(SO_ACCEPTCONN) == 1 else {
            throw .inheritance(descriptor, "does not listen", "Do not set Accept=yes in the .socket unit.")
        }
        guard let path = try Self.path(of: descriptor) else {
            throw .inheritance(descriptor, "has no path", "Give ListenStream= the path of a file.")
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else {
            throw .system("set up the inherited socket \(path)", errno)
        }
        self.descriptor = OwnedDescriptor(descriptor)
        self.path = path
    }

    #if os(Linux)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif

    /// Returns the path of a Unix socket, or nil for a socket without one.
    private static func path(of descriptor: Int32) throws(TransportError) -> SocketPath? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0, Int32(address.sun_family) == AF_UNIX else { return nil }
        let text = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        // A name without a file begins with a zero byte.
        return text.isEmpty ? nil : try SocketPath(text)
    }
}
