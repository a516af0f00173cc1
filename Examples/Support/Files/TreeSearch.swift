import Glibc

/// Finds the regular files below a root, one after the other, as somebody asks for them. Symbolic links are not
/// followed; hidden files count.
package struct TreeSearch: ~Copyable {
    package enum Found {
        /// A path relative to the root, empty if the root is the file, and the size that its directory tells.
        case file([UInt8], size: UInt64)
        /// A directory that cannot be read, or not to its end.
        case unreadable([UInt8], FileFailure)
    }

    private var directories: DirectoryChain
    /// Directories that were found and not read yet.
    private var pending: [[UInt8]] = [[]]
    private var current: Directory?
    /// Where that is.
    private var path: [UInt8] = []
    private let root: [UInt8]

    /// - Parameter root: A directory or a file.
    package init(root: [UInt8]) {
        self.root = root
        directories = DirectoryChain(root: root)
    }

    /// nil when there is nothing more.
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

    /// The root, unless it is a directory, or one would have to open it to find out.
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
