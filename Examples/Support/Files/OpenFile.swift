import Glibc

/// A regular file that is read from its beginning to its end.
///
/// Some files are generated while they are read, for example those of `/proc` and `/sys`. They report no size, or a
/// meaningless one, and some of them never end. See ``OpenEnd``.
package struct OpenFile {
    private let descriptor: Int32
    /// Detects a file without an end. It is nil if the size of the file is known.
    private var openEnd: OpenEnd?
    /// The number of bytes that have been read.
    package private(set) var bytes: UInt64 = 0

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path relative to the root. It is empty if the root is the file.
    ///   - directories: The open directories above the files that were opened before.
    /// - Throws: ``FileFailure`` if the file cannot be opened or is not a regular file.
    package init(_ path: [UInt8], in directories: inout DirectoryChain) throws(FileFailure) {
        // The file is opened without waiting, because the name may by now belong to a pipe without a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = directories.openFile(path, flags)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = Glibc.close(descriptor)
            throw FileFailure(reason: "it is no regular file any more")
        }
        self.descriptor = descriptor
        openEnd = Self.hasKnownSize(status, descriptor) ? nil : OpenEnd()
    }

    /// Returns whether the size of the file is known. It is not if it is 0, or in a file system that stores nothing.
    private static func hasKnownSize(_ status: stat, _ descriptor: Int32) -> Bool {
        guard status.st_size > 0 else { return false }
        guard status.st_blocks == 0 else { return true }
        var system = statvfs()
        return fstatvfs(descriptor, &system) == 0 && system.f_blocks > 0
    }

    /// Reads the next piece into the beginning of the buffer. Returns nil at the end of the file.
    package mutating func readPiece(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileFailure) -> UnsafeRawBufferPointer? {
        var count = read(descriptor, buffer.baseAddress, buffer.count)
        while count < 0, errno == EINTR { count = read(descriptor, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        guard count > 0 else { return nil }
        bytes += UInt64(count)
        if let limit = openEnd?.add(count, of: buffer.count) {
            throw FileFailure(reason: "it has no end: it reports no size, and continues after \(limit >> 20) MiB")
        }
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    /// Closes the file.
    package func close() {
        _ = Glibc.close(descriptor)
    }
}
