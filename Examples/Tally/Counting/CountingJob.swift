import ExampleSupport
import Glibc

/// Counts the files of one claim, one after the other, in pieces of a fixed size.
struct CountingJob: Sendable {
    /// One for each core.
    static var lanes: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// How much of a file is in memory at a time.
    private static let pieceBytes = 256 * 1024
    /// After how many bytes of a claim its progress is told.
    private static let progressBytes: UInt64 = 32 * 1024 * 1024

    let request: ScanRequest
    let paths: PackedPaths
    let workload: Workload

    /// - Parameter onProgress: Told the bytes of the claim so far and the seconds of this worker.
    /// - Throws: `CancellationError`.
    func run(_ onProgress: (UInt64, Double) async -> Void) async throws -> CountedFiles {
        var counted = CountedFiles()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
        defer { buffer.deallocate() }
        var directories = DirectoryChain(root: request.root)
        var progress: UInt64 = 0
        var told: UInt64 = 0
        for path in paths {
            try Task.checkCancellation()
            if workload.isPaused { try await workload.waitWhilePaused() }
            trapIfTold(to: path)
            do throws(FileFailure) {
                var file = try OpenFile(path, in: &directories)
                defer { file.close() }
                var counter = TextCounter()
                while let piece = try file.readPiece(into: buffer) {
                    counter.count(piece)
                    guard file.bytes + progress - told >= Self.progressBytes else { continue }
                    told = progress + file.bytes
                    await onProgress(told, await workload.seconds)
                    // Cancelled: what was read so far is not kept.
                    if workload.isPaused { try? await workload.waitWhilePaused() }
                    if Task.isCancelled { break }
                }
                progress += file.bytes
                counted.append(counter.count(of: path, bytes: file.bytes))
            } catch {
                counted.append(.init(path: path, reason: error.reason))
            }
        }
        try Task.checkCancellation()
        counted.seconds = await workload.seconds
        return counted
    }

    /// The way to try what becomes of a file that crashes the worker.
    private func trapIfTold(to path: [UInt8]) {
        guard let pattern = request.crashOn else { return }
        let name = path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? path
        let matches = [path, name].contains { candidate in
            (candidate + [0]).withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { fnmatch(pattern, $0, 0) == 0 } ?? false
                }
            }
        }
        precondition(!matches, "told to crash on \(PathText.display(path))")
    }
}
