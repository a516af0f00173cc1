import ExampleSupport

/// Finds the files to hash as somebody asks for them, a batch at a time: so nothing waits in memory, however large the
/// tree is.
actor WorkList {
    struct Batch: Sendable {
        var paths: [[UInt8]] = []
        /// Directories that were met and cannot be read.
        var unreadable: [Failure] = []
        /// What its files have to be read, as far as their directories tell, and what it takes to name them.
        var bytes: UInt64 = 0
    }

    /// One batch is a call: small enough that little is done again when its hasher dies, and that all hashers have
    /// something to do until the end.
    static let maximumBatch = 64
    static let maximumBatchBytes: UInt64 = 4 << 20

    private var search: TreeSearch
    private let isKnown: @Sendable ([UInt8]) -> Bool
    /// A file that did not fit.
    private var next: (path: [UInt8], bytes: UInt64)?

    /// - Parameter isKnown: Whether a file need not be hashed any more.
    init(root: [UInt8], isKnown: @escaping @Sendable ([UInt8]) -> Bool) {
        search = TreeSearch(root: root)
        self.isKnown = isKnown
    }

    /// The next files; nil when there are no more. A file that is larger than a batch has one for itself.
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
