import LatticeConcurrency

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A datagram socket that plays systemd: it collects the messages of a service.
package final class FakeManager: Sendable {
    /// The messages that have arrived.
    package let messages = Watched<[String]>([])
    /// The address for `NOTIFY_SOCKET`.
    package let address: String
    private let descriptor: Int32

    package struct Failure: Error {
        package let errno: Int32
    }

    /// Binds a socket.
    ///
    /// - Parameter address: A path, or a name after `@`.
    package init(at address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = address.hasPrefix("@")
        let bytes = isAbstract ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8) + [0]
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafeBytes(of: name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { all in all.baseAddress.map { bind(descriptor, $0, size) } ?? -1
            }
        }
        guard result == 0 else { throw Failure(errno: errno) }
        try SystemThread.start(name: "manager") { [messages, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                // The descriptor belongs to this thread, so it is not used after it was closed.
                guard count > 0 else {
                    close(descriptor)
                    return
                }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                messages.change { $0.append(text) }
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The lines that have arrived.
    package var lines: [String] { messages.value.flatMap { $0.split(separator: "\n").map(String.init) } }

    /// Waits until a line has arrived a number of times.
    package func until(_ line: String, count: Int = 1) async throws {
        try await messages.until { messages in
            messages.flatMap { $0.split(separator: "\n") }.count { $0 == line } >= count
        }
    }

    /// Runs a test with a manager at a path.
    package static func with(_ body: (FakeManager) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(FakeManager(at: $0 + "/notify")) }
    }
}
