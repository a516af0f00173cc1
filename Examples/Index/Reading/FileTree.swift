import Glibc

/// A regular file and when it was changed, which tells whether it has to be read again.
struct FoundFile: Equatable, Sendable {
    /// Relative to the root; empty if the root is the file.
    let path: String
    let stamp: FileStamp
}

/// How large a file is and when it was changed.
struct FileStamp: Codable, Equatable, Sendable {
    let size: Int
    /// Seconds and nanoseconds.
    let modified: [Int]
}

/// The regular files below a folder. Symbolic links are not followed; hidden files count, and what cannot be read, or
/// has a name that is no UTF-8, does not.
enum FileTree {
    /// - Parameter root: A folder, or a file; one that is gone has no files.
    /// - Throws: `CancellationError`.
    static func files(below root: String) throws -> [FoundFile] {
        var files: [FoundFile] = []
        var pending = [""]
        while let path = pending.popLast() {
            try Task.checkCancellation()
            var status = stat()
            guard lstat(join(root, path), &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                let time = status.st_mtim
                let stamp = FileStamp(size: Int(status.st_size), modified: [time.tv_sec, time.tv_nsec])
                files.append(FoundFile(path: path, stamp: stamp))
            case S_IFDIR: pending += names(in: join(root, path)).map { path.isEmpty ? $0 : "\(path)/\($0)" }
            default: break
            }
        }
        return files
    }

    /// The path of a file as it is opened and shown.
    static func join(_ root: String, _ path: String) -> String {
        if path.isEmpty { return root }
        return root.hasSuffix("/") ? root + path : "\(root)/\(path)"
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else { continue }
            names.append(name)
        }
        return names
    }
}
