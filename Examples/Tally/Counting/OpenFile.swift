import Glibc

/// Why a file was not counted.
struct FileFailure: Error {
    let reason: String

    /// The failure that `errno` tells.
    static var last: FileFailure { FileFailure(reason: String(cString: strerror(errno))) }
}

/// A regular file that is being read from its beginning to its end.
struct OpenFile {
    private let descriptor: Int32
    private var counter = TextCounter()
    private var isAtEnd = false
    private(set) var bytes: UInt64 = 0

    /// - Parameter path: Relative to the root; empty if the root is the file.
    init(root: [UInt8], path: [UInt8]) throws(FileFailure) {
        // Without waiting: by now the name may stand for a pipe that nobody writes to.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = FilePath.open(root, path, flags)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close()
            throw FileFailure(reason: "it is no regular file any more")
        }
    }

    /// Counts the next piece. Answers whether there is more.
    mutating func readPiece(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool {
        guard !isAtEnd else { return false }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count >= 0 else {
            if errno == EINTR { return true }
            throw .last
        }
        bytes += UInt64(count)
        counter.count(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        // A regular file gives less than asked for only at its end.
        isAtEnd = count < buffer.count
        return !isAtEnd
    }

    func count(_ path: [UInt8]) -> FileCount {
        FileCount(path: path, lines: counter.lines, words: counter.words, bytes: bytes)
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
