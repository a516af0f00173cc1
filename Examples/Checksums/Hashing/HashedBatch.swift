/// What a hasher brings back.
struct HashedBatch: Codable, Sendable, Equatable {
    /// Of the hasher.
    let process: Int32
    private(set) var files: [HashedFile] = []
    private(set) var failures: [Failure] = []
    /// Of all files.
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
    /// Relative to the root, in the bytes that the file system has.
    let path: [UInt8]
    let bytes: UInt64
    let checksum: Checksum
}

/// A file that has no checksum, or a directory that cannot be read.
struct Failure: Codable, Sendable, Equatable {
    let path: [UInt8]
    let reason: String
}
