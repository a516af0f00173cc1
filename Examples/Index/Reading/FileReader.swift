import ExampleSupport
import Glibc
import LatticeCore

/// Reads files and counts their words on all cores.
struct FileReader: Sendable {
    /// The maximum number of files that are delivered together. Batches are large because each turn of the interactor
    /// has a fixed cost.
    private static let batchFiles = 128
    private static let batchBytes = 4 << 20
    private static var lanes: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    let root: [UInt8]

    /// Reads files.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - deliver: Takes batches of files, one after the other.
    /// - Throws: `CancellationError`.
    func read(_ files: [FoundFile], _ deliver: (IndexedFiles) async -> Void) async throws {
        var rest = files[...]
        try await withThrowingTaskGroup(of: IndexedFiles.self) { group in
            func addBatch() {
                let batch = Self.takeBatch(from: &rest)
                if !batch.isEmpty { group.addTask { try read(batch) } }
            }
            for _ in 0..<Self.lanes { addBatch() }
            while let read = try await group.next() {
                // The next batch is read while this one is delivered.
                addBatch()
                await deliver(read)
            }
        }
    }

    private static func takeBatch(from files: inout ArraySlice<FoundFile>) -> ArraySlice<FoundFile> {
        var bytes = 0
        let batch = files.prefix(batchFiles).prefix { file in
            defer { bytes += file.stamp.size }
            return bytes < batchBytes
        }
        files = files.dropFirst(batch.count)
        return batch
    }

    private func read(_ batch: ArraySlice<FoundFile>) throws -> IndexedFiles {
        var read: IndexedFiles = [:]
        for file in batch {
            try Task.checkCancellation()
            read[file.path] = IndexedFile(stamp: file.stamp, words: words(of: FileTree.join(root, file.path.path)))
        }
        return read
    }

    /// Returns the words of a file, or nil if it is no text or cannot be read.
    private func words(of path: [UInt8]) -> PackedWords? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = FilePath.withCString(path) { open($0, flags) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        // The buffer has at least one page, because files that are generated while they are read report no size.
        var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size), 4096))
        let count = bytes.withUnsafeMutableBytes { Self.fill($0, from: descriptor) }
        return bytes.withUnsafeBytes { Words.count(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Fills a buffer from a file.
    ///
    /// - Returns: The number of bytes that were read.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = Glibc.read(descriptor, rest.baseAddress, rest.count)
            guard got > 0 else { break }
            count += got
        }
        return count
    }
}
