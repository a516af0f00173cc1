import Glibc
import LatticeCore

/// Finds the regular files below the root. Symbolic links are not followed; hidden files count.
struct TreeWalk: Sendable {
    /// How many files are handed on at a time.
    private static let portion = 256

    let request: ScanRequest
    let workload: Workload

    /// Walks to the end, or until the effect is cancelled.
    func run(_ send: Send<TallyAction>) async {
        var files: [[UInt8]] = []
        var failures: [TallyState.Failure] = []
        var found = 0
        var lastTold = ContinuousClock.now
        var pending: [[UInt8]] = [[]]
        var directories = DirectoryChain(root: request.root)
        while let path = pending.popLast() {
            do throws(FileFailure) {
                var directory = try Directory(path, in: &directories)
                while let entry = try directory.next() {
                    switch entry {
                    case .file(let file): files.append(file)
                    case .directory(let directory): pending.append(directory)
                    }
                    // In the middle of a directory: one may have more files than there is room for.
                    guard files.count == Self.portion else { continue }
                    found += files.count
                    guard await handOn(&files) else { return }
                }
            } catch {
                failures.append(.init(path: path, reason: error.reason))
            }
            guard lastTold.duration(to: .now) >= .milliseconds(100) else { continue }
            lastTold = .now
            await send(.found(files: found + files.count, unreadable: failures, isComplete: false))
            failures = []
        }
        found += files.count
        guard await handOn(&files) else { return }
        await send(.found(files: found, unreadable: failures, isComplete: true))
        await workload.endWalk()
    }

    /// - Returns: Whether anybody is left to walk for.
    private func handOn(_ files: inout [[UInt8]]) async -> Bool {
        defer { files = [] }
        return (try? await workload.add(files)) != nil
    }
}

/// A directory that is being read.
private struct Directory: ~Copyable {
    enum Entry {
        case file([UInt8])
        case directory([UInt8])
    }

    private let path: [UInt8]
    /// Nil if the root is a file, and that was told.
    private var stream: OpaquePointer?
    private var rootIsFile = false

    /// - Parameter path: Relative to the root; empty for the root, which may also be a file.
    init(_ path: [UInt8], in directories: inout DirectoryChain) throws(FileFailure) {
        self.path = path
        let descriptor = directories.openDirectory(path)
        guard descriptor >= 0 else {
            guard path.isEmpty, errno == ENOTDIR else { throw .last }
            rootIsFile = true
            return
        }
        guard let stream = fdopendir(descriptor) else {
            let failure = FileFailure.last
            close(descriptor)
            throw failure
        }
        self.stream = stream
    }

    deinit {
        if let stream { closedir(stream) }
    }

    /// The next regular file or directory, relative to the root; nil at the end.
    mutating func next() throws(FileFailure) -> Entry? {
        guard let stream else {
            defer { rootIsFile = false }
            return rootIsFile ? .file([]) : nil
        }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .last }
                return nil
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                [UInt8](bytes.prefix { $0 != 0 })
            }
            guard name != [UInt8(ascii: ".")], name != Array("..".utf8) else { continue }
            let child = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            switch Self.kind(of: entry, in: stream) {
            case .regular: return .file(child)
            case .directory: return .directory(child)
            case .other: continue
            }
        }
    }

    private enum Kind { case regular, directory, other }

    private static func kind(of entry: UnsafeMutablePointer<dirent>, in stream: OpaquePointer) -> Kind {
        switch Int(entry.pointee.d_type) {
        case Int(DT_REG): return .regular
        case Int(DT_DIR): return .directory
        case Int(DT_UNKNOWN): break
        default: return .other
        }
        // Some file systems tell the kind only when asked.
        var status = stat()
        let found = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { name in
                name.baseAddress.map { fstatat(dirfd(stream), $0, &status, AT_SYMLINK_NOFOLLOW) }
            }
        }
        guard found == 0 else { return .other }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        default: .other
        }
    }
}
