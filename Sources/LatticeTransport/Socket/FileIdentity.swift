#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
