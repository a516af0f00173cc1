import ExampleSupport
import Glibc

/// A regular file and when it was changed, which tells whether it has to be read again.
struct FoundFile: Equatable, Sendable {
    /// Relative to the root; empty if the root is the file.
    let path: PathKey
    let stamp: FileStamp
}

/// How large a file is and when it was changed.
struct FileStamp: Codable, Equatable, Sendable {
    let size: Int
    /// Seconds and nanoseconds.
    let modified: [Int]
}

/// The regular files below a folder. Symbolic links are not followed; hidden files count, and what cannot be read does
/// not. A name is its bytes, as in the file system: two that differ in their normal form are two, and one that is no
/// UTF-8 is as good as any other.
enum FileTree {
    /// - Parameter root: A folder, or a file; one that is gone has no files.
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

    /// The path of a file as it is opened and shown.
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
