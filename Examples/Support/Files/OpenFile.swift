import Glibc

/// A regular file that is being read from its beginning to its end.
///
/// Some files are made while they are read, those of `/proc` and `/sys` for instance. They tell no size, or one that
/// means nothing, and some of them go on for as long as one reads: see ``OpenEnd``.
package struct OpenFile {
    private let descriptor: Int32
    /// nil if the size of the file is known.
    private var openEnd: OpenEnd?
    /// How many were read so far.
    package private(set) var bytes: UInt64 = 0

    /// - Parameters:
    ///   - path: Relative to the root; empty if the root is the file.
    ///   - directories: Those on the way to the files that were opened before this one.
    package init(_ path: [UInt8], in directories: inout DirectoryChain) throws(FileFailure) {
        // Without waiting: by now the name may stand for a pipe that nobody writes to.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = directories.openFile(path, flags)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = Glibc.close(descriptor)
            throw FileFailure(reason: "it is no regular file any more")
        }
        self.descriptor = descriptor
        openEnd = Self.tellsSize(status, descriptor) ? nil : OpenEnd()
    }

    /// Whether the size of the file is known: not where it is 0, nor in a file system that stores nothing.
    private static func tellsSize(_ status: stat, _ descriptor: Int32) -> Bool {
        guard status.st_size > 0 else { return false }
        guard status.st_blocks == 0 else { return true }
        var system = statvfs()
        return fstatvfs(descriptor, &system) == 0 && system.f_blocks > 0
    }

    /// The next piece, at the beginning of the buffer; nil at the end.
    package mutating func readPiece(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileFailure) -> UnsafeRawBufferPointer? {
        var count = read(descriptor, buffer.baseAddress, buffer.count)
        while count < 0, errno == EINTR { count = read(descriptor, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        guard count > 0 else { return nil }
        bytes += UInt64(count)
        if let limit = openEnd?.add(count, of: buffer.count) {
            throw FileFailure(reason: "it has no end: it tells no size, and goes on after \(limit >> 20) MiB")
        }
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    package func close() {
        _ = Glibc.close(descriptor)
    }
}
