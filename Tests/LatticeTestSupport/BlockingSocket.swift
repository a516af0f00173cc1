import LatticeConcurrency

#if canImport(Darwin)
import Darwin

private let (systemConnect, systemSend) = (Darwin.connect, Darwin.send)
#else
import Glibc

private let (systemConnect, systemSend) = (Glibc.connect, Glibc.send)
#endif

/// A blocking client of a stream socket.
package final class BlockingSocket: Sendable {
    /// The error of a connection that was refused.
    package struct Failure: Error {
        package let errno: Int32
    }

    private let descriptor: Int32

    private static var stream: Int32 {
        #if os(Linux)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try withUnsafeBytes(of: name) { try Self.connect(descriptor, $0) }
    }

    /// Connects to a Unix socket.
    package init(path: String) throws {
        descriptor = socket(AF_UNIX, Self.stream, 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        try withUnsafeBytes(of: name) { try Self.connect(descriptor, $0) }
    }

    private static func connect(_ descriptor: Int32, _ name: UnsafeRawBufferPointer) throws {
        let result = name.withMemoryRebound(to: sockaddr.self) { all in
            all.baseAddress.map { systemConnect(descriptor, $0, socklen_t(name.count)) } ?? -1
        }
        if result != 0 { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Sends a text, as far as the other side takes it.
    package func send(_ text: String) {
        var text = text
        _ = text.withUTF8 { systemSend(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads until the other side closes.
    package func answer() async -> String {
        await withCheckedContinuation { waiter in
            do throws(SystemThread.NoRoom) {
                try SystemThread.start(name: "answer") { [self] in
                    waiter.resume(returning: String(decoding: readAll(), as: UTF8.self))
                }
            } catch {
                waiter.resume(returning: "no thread")
            }
        }
    }

    private func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
