import ExampleSupport
import Glibc

/// Counts the files of one claim, one after the other, in pieces of a fixed size.
struct CountingJob: Sendable {
    /// The number of lanes, which is one for each core.
    static var lanes: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The number of bytes of a file that are in memory at a time.
    private static let pieceBytes = 256 * 1024
    /// The number of bytes of a claim after which its progress is reported.
    private static let progressBytes: UInt64 = 32 * 1024 * 1024

    let request: ScanRequest
    let paths: PackedPaths
    let workload: Workload

    /// Counts the files.
    ///
    /// - Parameter onProgress: Receives the bytes of the claim so far, and the seconds of this worker.
    /// - Returns: The counts.
    /// - Throws: `CancellationError`.
    func run(_ onProgress: (UInt64, Double) async -> Void) async throws -> CountedFiles {
        var counted = CountedFiles()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
        defer { buffer.deallocate() }
        var directories = DirectoryChain(root: request.root)
        var progress: UInt64 = 0
        var reported: UInt64 = 0
        for path in paths {
            try Task.checkCancellation()
            if workload.isPaused { try await workload.waitWhilePaused() }
            trapIfRequested(for: path)
            do throws(FileFailure) {
                var file = try OpenFile(path, in: &directories)
                defer { file.close() }
                var counter = TextCounter()
                while let piece = try file.readPiece(into: buffer) {
                    counter.count(piece)
                    guard file.bytes + progress - reported >= Self.progressBytes else { continue }
                    reported = progress + file.bytes
                    await onProgress(reported, await workload.seconds)
                    // If the task was cancelled, the bytes that were read so far are dropped.
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

    /// Crashes the worker if the request says so for a path.
    private func trapIfRequested(for path: [UInt8]) {
        guard let pattern = request.crashOn else { return }
        let name = path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? path
        let matches = [path, name].contains { candidate in
            (candidate + [0]).withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { fnmatch(pattern, $0, 0) == 0 } ?? false
                }
            }
        }
        precondition(!matches, "crashed on request on \(PathText.display(path))")
    }
}
