import Glibc

/// Paths in the bytes that the file system has, which need not be UTF-8.
enum FilePath {
    private static let slash = UInt8(ascii: "/")

    /// Opens something below the root, also where the path to it is longer than the kernel takes at once.
    ///
    /// - Parameter path: Relative to the root; empty for the root itself.
    /// - Returns: The descriptor, or -1 with `errno`.
    static func open(_ root: [UInt8], _ path: [UInt8], _ flags: Int32) -> Int32 {
        var full = root
        if !path.isEmpty {
            if full.last != slash { full.append(slash) }
            full.append(contentsOf: path)
        }
        return full.count < PATH_MAX
            ? withCString(full) { Glibc.open($0, flags) }
            : openInPieces(full, flags)
    }

    private static func openInPieces(_ full: [UInt8], _ flags: Int32) -> Int32 {
        var directory = AT_FDCWD
        defer { if directory != AT_FDCWD { close(directory) } }
        var rest = full[...]
        while rest.count >= PATH_MAX {
            guard let end = rest.prefix(Int(PATH_MAX) - 1).lastIndex(of: slash), end > rest.startIndex else {
                errno = ENAMETOOLONG
                return -1
            }
            let next = withCString(rest[..<end]) { openat(directory, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard next >= 0 else { return -1 }
            if directory != AT_FDCWD { close(directory) }
            directory = next
            rest = rest[end...].drop { $0 == slash }
        }
        return withCString(rest) { openat(directory, $0, flags) }
    }

    /// Calls `body` with the path, ended by a zero byte.
    static func withCString<Result>(_ path: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let characters = path.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array that ends with 0 is not empty") }
            return body(base)
        }
    }
}
