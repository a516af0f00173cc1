// Besides the C library: which of them has a structure's members depends on what the compiler loads first.
import CLatticeSystem
import LatticeTestSupport
import LatticeTransport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reactor whose thread has ended when this returns.
func withReactor(
    _ backend: Reactor.Backend = .platformDefault,
    _ body: (Reactor) async throws -> Void
) async throws {
    try await withTestPlace {
        let reactor = try Reactor.start(name: "test", backend: backend)
        do {
            try await body(reactor)
        } catch {
            reactor.stop()
            throw error
        }
        reactor.stop()
        await reactor.stopped()
    }
}

/// The permission bits of what is at the path itself.
func permissions(_ path: String) -> mode_t? {
    var found = stat()
    return lstat(path, &found) == 0 ? found.st_mode & 0o7777 : nil
}

func exists(_ path: String) -> Bool {
    permissions(path) != nil
}

/// Bytes that differ from place to place, so that a lost or doubled one shows.
func pattern(_ count: Int) -> [UInt8] {
    // The library writes to the storage that all empty arrays share, which the thread sanitizer takes for a race.
    if count == 0 { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        var state: UInt32 = 2_463_534_242
        for index in 0..<count {
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            buffer[index] = UInt8(truncatingIfNeeded: state)
        }
        filled = count
    }
}

/// Makes a socket at the path; without listening it is closed again, as after a crash.
@discardableResult
func makeSocketFile(_ path: String, isListening: Bool) throws -> Int32 {
    unlink(path)
    #if canImport(Darwin)
    let made = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    // A program that another test starts at this moment must not inherit the socket.
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    try #require(made >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    try #require(bound == 0)
    guard isListening else {
        close(made)
        return -1
    }
    try #require(listen(made, 8) == 0)
    return made
}
