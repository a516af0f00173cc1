import ExampleSupport
import Glibc

/// A regular file with a stamp that shows whether it has to be read again.
struct FoundFile: Equatable, Sendable {
    /// The path relative to the root. It is empty if the root is the file.
    let path: PathKey
    let stamp: FileStamp
}

/// The size of a file and the time of its last change.
struct FileStamp: Codable, Equatable, Sendable {
    let size: Int
    /// The seconds and nanoseconds of the last change.
    let modified: [Int]
}

/// Functions that find the regular files below a folder. Symbolic links are not followed. Hidden files are included,
/// and unreadable ones are left out. Names are compared by their bytes: names in different Unicode normal forms are
/// different, and names need not be valid UTF-8.
enum FileTree {
    /// Returns the files below a root.
    ///
    /// - Parameter root: A folder or a file. If it does not exist, there are no files.
    /// - Throws: `CancellationError`.
    static func files(below root: [UInt8]) throws -> [FoundFile] {
        var files: [FoundFile] = []
        var pending: [[UInt8]] = [[]]
        while let path = pending.popLast() {
            try Task.checkCancellation()
            var status = stat()
            guard FilePath.withCString(join(root, path), { lstat($0, &status) }) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                let time = status.st_mtim
                let stamp = FileStamp(size: Int(status.st_size), modified: [time.tv_sec, time.tv_nsec])
                files.append(FoundFile(path: PathKey(path), stamp: stamp))
            case S_IFDIR: pending += names(in: join(root, path)).map { path.isEmpty ? $0 : join(path, $0) }
            default: break
            }
        }
        return files
    }

    /// Returns the path of a file for opening and showing it.
    static func join(_ root: [UInt8], _ path: [UInt8]) -> [UInt8] {
        if path.isEmpty { return root }
        return root.last == FilePath.slash ? root + path : root + [FilePath.slash] + path
    }

    private static func names(in folder: [UInt8]) -> [[UInt8]] {
        guard let stream = FilePath.withCString(folder, { opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names
    }
}
