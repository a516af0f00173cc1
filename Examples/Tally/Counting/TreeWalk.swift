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
        while let directory = pending.popLast() {
            guard !Task.isCancelled else { return }
            do throws(FileFailure) {
                let entries = try Directory.read(directory, in: &directories)
                files += entries.files
                pending += entries.directories
            } catch {
                failures.append(.init(path: directory, reason: error.reason))
            }
            guard files.count >= Self.portion || pending.isEmpty else { continue }
            found += files.count
            // Cancelled: there is nobody left to walk for.
            guard (try? await workload.add(files)) != nil else { return }
            files = []
            if lastTold.duration(to: .now) >= .milliseconds(100) {
                lastTold = .now
                await send(.found(files: found, unreadable: failures, isComplete: false))
                failures = []
            }
        }
        await send(.found(files: found, unreadable: failures, isComplete: true))
        await workload.endWalk()
    }
}

/// Reading one directory.
private enum Directory {
    struct Entries {
        var files: [[UInt8]] = []
        var directories: [[UInt8]] = []
    }

    /// - Parameter path: Relative to the root; empty for the root, which may also be a file.
    static func read(_ path: [UInt8], in directories: inout DirectoryChain) throws(FileFailure) -> Entries {
        var entries = Entries()
        let descriptor = directories.openDirectory(path)
        guard descriptor >= 0 else {
            // The root itself is the file.
            if path.isEmpty, errno == ENOTDIR { return Entries(files: [[]]) }
            throw .last
        }
        guard let stream = fdopendir(descriptor) else {
            let failure = FileFailure.last
            close(descriptor)
            throw failure
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .last }
                return entries
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                [UInt8](bytes.prefix { $0 != 0 })
            }
            guard name != [UInt8(ascii: ".")], name != Array("..".utf8) else { continue }
            let child = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            switch kind(of: entry, in: stream) {
            case .regular: entries.files.append(child)
            case .directory: entries.directories.append(child)
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
