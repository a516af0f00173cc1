import ExampleSupport

/// Finds the files to hash on demand, one batch at a time. The list of files is therefore never in memory as a whole.
actor WorkList {
    struct Batch: Sendable {
        var paths: [[UInt8]] = []
        /// The directories that cannot be read.
        var unreadable: [Failure] = []
        /// The bytes of the files, according to their directories, plus the bytes of their paths.
        var bytes: UInt64 = 0
    }

    /// The maximum number of files in a batch, which is one call. Batches are small, so that little is repeated when a
    /// hasher dies and all hashers are busy until the end.
    static let maximumBatch = 64
    /// The maximum number of bytes in a batch with more than one file.
    static let maximumBatchBytes: UInt64 = 4 << 20

    private var search: TreeSearch
    private let isKnown: @Sendable ([UInt8]) -> Bool
    /// A file that did not fit into the previous batch.
    private var next: (path: [UInt8], bytes: UInt64)?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - root: The directory or file.
    ///   - isKnown: Returns whether a file has already been hashed or has failed.
    init(root: [UInt8], isKnown: @escaping @Sendable ([UInt8]) -> Bool) {
        search = TreeSearch(root: root)
        self.isKnown = isKnown
    }

    /// Returns the next batch, or nil when there are no more files. A file that is larger than a batch gets its own.
    func claim() throws -> Batch? {
        var batch = Batch()
        while batch.paths.count < Self.maximumBatch, let file = try next(&batch) {
            guard batch.paths.isEmpty || batch.bytes + file.bytes <= Self.maximumBatchBytes else {
                next = file
                break
            }
            batch.paths.append(file.path)
            batch.bytes += file.bytes
        }
        return batch.paths.isEmpty && batch.unreadable.isEmpty ? nil : batch
    }

    private func next(_ batch: inout Batch) throws -> (path: [UInt8], bytes: UInt64)? {
        if let next {
            self.next = nil
            return next
        }
        while let found = search.next() {
            try Task.checkCancellation()
            switch found {
            case .file(let path, let size):
                if !isKnown(path) { return (path, size + UInt64(path.count)) }
            case .unreadable(let path, let failure):
                batch.unreadable.append(Failure(path: path, reason: failure.reason))
            }
        }
        return nil
    }
}
