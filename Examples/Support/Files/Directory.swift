import Glibc

/// A directory that is being read.
struct Directory: ~Copyable {
    enum Entry {
        case file([UInt8], size: UInt64)
        case directory([UInt8])
    }

    private let path: [UInt8]
    private let stream: OpaquePointer

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: The path relative to the root. It is empty for the root itself.
    ///   - directories: The open directories above.
    init(_ path: [UInt8], in directories: inout DirectoryChain) throws(FileFailure) {
        self.path = path
        let descriptor = directories.openDirectory(path)
        guard descriptor >= 0 else { throw .last }
        guard let stream = fdopendir(descriptor) else {
            let failure = FileFailure.last
            close(descriptor)
            throw failure
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    /// Returns the next regular file or directory, relative to the root, or nil at the end. Symbolic links are skipped.
    func next() throws(FileFailure) -> Entry? {
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
            let child = path.isEmpty ? name : path + [FilePath.slash] + name
            var status = stat()
            let found = FilePath.withCString(name) { fstatat(dirfd(stream), $0, &status, AT_SYMLINK_NOFOLLOW) }
            // The entry was removed meanwhile, or the directory can be read but not searched. Then the entry's kind is
            // used.
            guard found == 0 else {
                switch Int(entry.pointee.d_type) {
                case Int(DT_REG): return .file(child, size: 0)
                case Int(DT_DIR): return .directory(child)
                default: continue
                }
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return .file(child, size: UInt64(status.st_size))
            case S_IFDIR: return .directory(child)
            default: continue
            }
        }
    }
}
