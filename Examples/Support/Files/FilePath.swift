import Glibc

/// Functions for paths in the bytes of the file system, which need not be UTF-8.
package enum FilePath {
    /// The separator of directories.
    package static let slash = UInt8(ascii: "/")

    /// Returns the path of a command-line argument, without symbolic links.
    ///
    /// - Throws: ``ProgramError`` if the path does not exist.
    package static func resolved(_ word: String) throws(ProgramError) -> [UInt8] {
        let resolved = withCString(CommandLineBytes.of(word)) { realpath($0, nil) }
        guard let resolved else { throw ProgramError("\(word): \(String(cString: strerror(errno)))") }
        defer { free(resolved) }
        return UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
    }

    /// Opens a file or directory below a root. The path may be longer than the kernel accepts in one call.
    ///
    /// - Parameters:
    ///   - root: The root.
    ///   - path: The path relative to the root. It is empty for the root itself.
    ///   - flags: The flags of `open(2)`.
    /// - Returns: The descriptor, or -1 with `errno`.
    package static func open(_ root: [UInt8], _ path: [UInt8], _ flags: Int32) -> Int32 {
        var full = root
        if !path.isEmpty {
            if full.last != slash { full.append(slash) }
            full.append(contentsOf: path)
        }
        return open(at: AT_FDCWD, full[...], flags)
    }

    /// Opens a file or directory in an open directory. The path may be longer than the kernel accepts in one call.
    ///
    /// - Returns: The descriptor, or -1 with `errno`.
    package static func open(at start: Int32, _ path: ArraySlice<UInt8>, _ flags: Int32) -> Int32 {
        var directory = start
        defer { if directory != start { close(directory) } }
        var rest = path
        while rest.count >= PATH_MAX {
            guard let end = rest.prefix(Int(PATH_MAX) - 1).lastIndex(of: slash), end > rest.startIndex else {
                errno = ENAMETOOLONG
                return -1
            }
            let next = withCString(rest[..<end]) { openat(directory, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard next >= 0 else { return -1 }
            if directory != start { close(directory) }
            directory = next
            rest = rest[end...].drop { $0 == slash }
        }
        return withCString(rest) { openat(directory, $0, flags) }
    }

    /// Returns the number of bytes at the beginning that two paths have in common.
    package static func sharedLength(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var shared = 0
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return }
                // This compares halves as a whole, so the C library looks at each byte about twice.
                var end = min(left.count, right.count)
                while shared < end {
                    let middle = (shared + end + 1) / 2
                    if memcmp(first + shared, second + shared, middle - shared) == 0 {
                        shared = middle
                    } else {
                        end = middle - 1
                    }
                }
            }
        }
        return shared
    }

    /// Returns whether a path comes before another one in the order of their bytes.
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let shared = sharedLength(left, right)
        return shared < right.count && (shared == left.count || left[shared] < right[shared])
    }

    /// Calls `body` with the path, terminated by a zero byte.
    package static func withCString<Result>(_ path: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) -> Result)
        -> Result
    {
        let characters = path.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("An array that ends with 0 is not empty.") }
            return body(base)
        }
    }
}
