/// Watches a file that tells no size, which may or may not have an end.
///
/// What is made while it is read, such as a list in `/proc`, comes in pieces smaller than was asked for, and is read
/// until its end. What fills each piece without telling a size is no list: `pagemap` goes on for 256 GiB. There is one
/// for each thread of each process, so that little of each is read before it is given up.
package struct OpenEnd {
    /// Bytes in full pieces after which a file counts as one without an end.
    package static let fullLimit: UInt64 = 16 << 20
    /// Bytes in pieces of any size: more than a list of anything has, and some seconds of one that grows while it is
    /// read.
    package static let limit: UInt64 = 1 << 30

    private var fullBytes: UInt64 = 0
    private var bytes: UInt64 = 0

    package init() {}

    /// Notes the next piece.
    ///
    /// - Returns: The limit that the file is beyond, if it is.
    package mutating func add(_ count: Int, of asked: Int) -> UInt64? {
        bytes += UInt64(count)
        if count == asked { fullBytes += UInt64(count) }
        if fullBytes > Self.fullLimit { return Self.fullLimit }
        return bytes > Self.limit ? Self.limit : nil
    }
}
