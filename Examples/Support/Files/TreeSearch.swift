import Glibc

/// Finds the regular files below a root on demand, one after the other. Symbolic links are not followed, and hidden
/// files are included.
package struct TreeSearch: ~Copyable {
    /// A result of the search.
    package enum Found {
        /// A file: its path relative to the root, and its size according to its directory. The path is empty if the
        /// root is the file.
        case file([UInt8], size: UInt64)
        /// A directory that cannot be read, or not completely.
        case unreadable([UInt8], FileFailure)
    }

    private var directories: DirectoryChain
    /// The directories that were found but not read yet.
    private var pending: [[UInt8]] = [[]]
    private var current: Directory?
    /// The path of the current directory.
    private var path: [UInt8] = []
    private let root: [UInt8]

    /// Creates a search.
    ///
    /// - Parameter root: A directory or a file.
    package init(root: [UInt8]) {
        self.root = root
        directories = DirectoryChain(root: root)
    }

    /// Returns the next result, or nil at the end.
    package mutating func next() -> Found? {
        while true {
            do throws(FileFailure) {
                guard let entry = try current?.next() ?? nil else {
                    current = nil
                    guard let next = pending.popLast() else { return nil }
                    path = next
                    if path.isEmpty, let found = rootIfNoDirectory { return found }
                    current = try Directory(path, in: &directories)
                    continue
                }
                switch entry {
                case .file(let file, let size): return .file(file, size: size)
                case .directory(let directory): pending.append(directory)
                }
            } catch {
                current = nil
                return .unreadable(path, error)
            }
        }
    }

    /// The result for the root if it is not a directory. It is nil for a directory, and for a root that has to be
    /// opened to find out.
    private var rootIfNoDirectory: Found? {
        var status = stat()
        guard FilePath.withCString(root, { stat($0, &status) }) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFDIR: nil
        case S_IFREG: .file([], size: UInt64(status.st_size))
        default: .unreadable([], FileFailure(reason: "it is neither a directory nor a regular file"))
        }
    }
}
