import ExampleSupport
import Glibc
import LatticeCore

/// Reads files and counts their words, on all cores.
struct FileReader: Sendable {
    /// Files that are handed over together: each turn of the interactor costs something besides what it adds.
    private static let batchFiles = 128
    private static let batchBytes = 4 << 20
    private static var lanes: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    let root: [UInt8]

    /// - Parameter deliver: Called with some files after the other, and waited for.
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
                // The next files are read while these are added.
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

    /// nil for a file that is no text, and for one that cannot be read.
    private func words(of path: [UInt8]) -> PackedWords? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = FilePath.withCString(path) { open($0, flags) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        // A page at least: what is made while it is read tells no size.
        var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size), 4096))
        let count = bytes.withUnsafeMutableBytes { Self.fill($0, from: descriptor) }
        return bytes.withUnsafeBytes { Words.count(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// - Returns: How many bytes there were.
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
