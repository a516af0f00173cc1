#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An abstract datagram socket from which nothing is read.
final class SilentManager: Sendable {
    struct Failure: Error {
        let errno: Int32
    }

    let address = "@lattice-silent-\(UInt64.random(in: 0...(.max)))"
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(address.utf8.dropFirst())
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafeBytes(of: name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { all in all.baseAddress.map { bind(descriptor, $0, size) } ?? -1
            }
        }
        guard result == 0 else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }
}
