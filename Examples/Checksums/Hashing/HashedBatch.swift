/// The result of a hasher.
struct HashedBatch: Codable, Sendable, Equatable {
    /// The process of the hasher.
    let process: Int32
    private(set) var files: [HashedFile] = []
    private(set) var failures: [Failure] = []
    /// The bytes of all files.
    private(set) var bytes: UInt64 = 0

    init(process: Int32) {
        self.process = process
    }

    mutating func append(_ file: HashedFile) {
        files.append(file)
        bytes += file.bytes
    }

    mutating func append(_ failure: Failure) { failures.append(failure) }
}

/// A file and its checksum.
struct HashedFile: Codable, Sendable, Equatable {
    /// The path relative to the root, in the bytes of the file system.
    let path: [UInt8]
    let bytes: UInt64
    let checksum: Checksum
}

/// A file without a checksum, or a directory that cannot be read.
struct Failure: Codable, Sendable, Equatable {
    let path: [UInt8]
    let reason: String
}
