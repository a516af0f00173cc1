/// Detects files without an end among those that report no size.
///
/// Files that are generated while they are read, such as the lists in `/proc`, arrive in pieces that are smaller than
/// requested, and are read until their end. A file that fills each piece without reporting a size is not a list. For
/// example, `pagemap` has 256 GiB for each thread of each process, so only a little of each is read before the file is
/// rejected.
package struct OpenEnd {
    /// The number of bytes in full pieces above which a file counts as endless.
    package static let fullLimit: UInt64 = 16 << 20
    /// The number of bytes in pieces of any size above which a file counts as endless. No list is that long. A file
    /// that grows while it is read reaches it after some seconds.
    package static let limit: UInt64 = 1 << 30

    private var fullBytes: UInt64 = 0
    private var bytes: UInt64 = 0

    /// Creates a detector for one file.
    package init() {}

    /// Adds the next piece.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that were read.
    ///   - asked: The number of bytes that were requested.
    /// - Returns: The limit that the file has exceeded, or nil.
    package mutating func add(_ count: Int, of asked: Int) -> UInt64? {
        bytes += UInt64(count)
        if count == asked { fullBytes += UInt64(count) }
        if fullBytes > Self.fullLimit { return Self.fullLimit }
        return bytes > Self.limit ? Self.limit : nil
    }
}
