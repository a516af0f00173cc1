#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Sends notifications to the service manager that started this process.
///
/// ```swift
/// try SystemdNotifier.fromEnvironment()?.send(.status("Restoring 12 of 40 instances."))
/// ```
public struct SystemdNotifier: Sendable, Hashable {
    /// The time that a notification waits while the queue of systemd is full. After that sending fails.
    public static let timeout: Duration = .seconds(1)

    /// The address of the socket: a path, or a name that begins with `@` for an abstract socket of Linux.
    public let address: String

    /// Creates a notifier.
    ///
    /// - Parameter address: An absolute path, or a name that begins with `@`. It has at most 107 bytes.
    /// - Throws: ``SystemdError`` with the code `invalidVariable` if the address has another form.
    public init(address: String) throws(SystemdError) {
        let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard address.hasPrefix("/") || address.hasPrefix("@"), (2...longest).contains(address.utf8.count),
            !address.utf8.contains(0)
        else {
            throw .invalid("NOTIFY_SOCKET", address, "a path, or a name after @, of at most \(longest) bytes")
        }
        self.address = address
    }

    /// Returns the notifier for the manager of this process, or nil if it wants no notifications.
    ///
    /// - Throws: ``SystemdError`` with the code `invalidVariable` if `NOTIFY_SOCKET` has another form.
    public static func fromEnvironment() throws(SystemdError) -> SystemdNotifier? {
        guard let value = getenv("NOTIFY_SOCKET") else { return nil }
        return try SystemdNotifier(address: String(cString: value))
    }

    /// Sends notifications in one message. It waits for at most ``timeout``.
    ///
    /// - Throws: ``SystemdError`` with the code `notSent` if systemd does not take the message.
    public func send(_ notifications: SystemdNotification...) throws(SystemdError) {
        try send(notifications)
    }

    /// Sends notifications in one message.
    func send(_ notifications: [SystemdNotification]) throws(SystemdError) {
        try send(notifications.map(\.text).joined(separator: "\n"))
    }

    private func send(_ text: String) throws(SystemdError) {
        #if os(Linux)
        let datagram = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, datagram, 0)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Int(Self.timeout.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        guard withAddress({ sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }) == bytes.count else {
            throw failure()
        }
        #else
        throw .notSent(address, "this system has no systemd")
        #endif
    }

    private func failure() -> SystemdError { .notSent(address, String(cString: strerror(errno))) }

    /// Calls `body` with the address as the system wants it. The name of an abstract socket begins with a zero byte
    /// and has no end mark, so its length counts.
    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let size = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count
        return withUnsafeBytes(of: name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { all in
                all.baseAddress.map { body($0, socklen_t(size)) } ?? -1
            }
        }
    }
}
