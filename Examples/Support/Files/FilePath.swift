import Glibc

/// Paths in the bytes that the file system has, which need not be UTF-8.
package enum FilePath {
    package static let slash = UInt8(ascii: "/")

    /// The path of a word of the command line, without symbolic links.
    ///
    /// - Throws: ``ProgramError`` if there is nothing.
    package static func resolved(_ word: String) throws(ProgramError) -> [UInt8] {
        let resolved = withCString(CommandLineBytes.of(word)) { realpath($0, nil) }
        guard let resolved else { throw ProgramError("\(word): \(String(cString: strerror(errno)))") }
        defer { free(resolved) }
        return UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
    }

    /// Opens something below the root, also where the path to it is longer than the kernel takes at once.
    ///
    /// - Parameter path: Relative to the root; empty for the root itself.
    /// - Returns: The descriptor, or -1 with `errno`.
    package static func open(_ root: [UInt8], _ path: [UInt8], _ flags: Int32) -> Int32 {
        var full = root
        if !path.isEmpty {
            if full.last != slash { full.append(slash) }
            full.append(contentsOf: path)
        }
        return open(at: AT_FDCWD, full[...], flags)
    }

    /// Opens something in an open directory, also where the path to it is longer than the kernel takes at once.
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

    /// How many bytes two paths have in common at their beginnings.
    package static func sharedLength(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var shared = 0
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return }
                // Halves that are compared as wholes: the bytes are looked at about twice, by the C library.
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

    /// Whether a path comes before another one, byte by byte.
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let shared = sharedLength(left, right)
        return shared < right.count && (shared == left.count || left[shared] < right[shared])
    }

    /// Calls `body` with the path, ended by a zero byte.
    package static func withCString<Result>(_ path: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) -> Result)
        -> Result
    {
        let characters = path.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array that ends with 0 is not empty") }
            return body(base)
        }
    }
}
