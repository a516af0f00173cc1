import Distributed
import ExampleSupport
import Glibc
import LatticeActors

/// Computes checksums in its own worker. There are several equal hashers, and none keeps any state. A call whose hasher
/// has died is made at another one.
distributed actor Hasher {
    typealias ActorSystem = LatticeActorSystem

    /// The name under which all hashers are found.
    static let name = "hasher"
    /// The group of their workers.
    static let group = "hashers"

    /// The number of bytes of a file that are in memory at a time.
    private static let pieceBytes = 256 * 1024
    /// The interval at which the progress is reported.
    private static let interval: Duration = .milliseconds(100)

    private var lastReport = ContinuousClock.now

    /// Returns the checksums of some files in their order.
    ///
    /// - Parameters:
    ///   - paths: The paths of the files, relative to the root.
    ///   - request: The request to which the files belong.
    ///   - meter: Receives the progress if hashing takes long.
    /// - Throws: `CancellationError`.
    distributed func hash(_ paths: [[UInt8]], for request: HashRequest, reporting meter: Meter) async throws
        -> HashedBatch
    {
        lastReport = .now
        var batch = HashedBatch(process: getpid())
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
        defer { buffer.deallocate() }
        var directories = DirectoryChain(root: request.root)
        for path in paths {
            request.trapIfRequested(for: path)
            do throws(FileFailure) {
                var file = try OpenFile(path, in: &directories)
                defer { file.close() }
                var hash = SHA256()
                while !Task.isCancelled, let piece = try file.readPiece(into: buffer) {
                    hash.update(piece)
                    await report(batch.bytes + file.bytes, to: meter)
                }
                batch.append(.init(path: path, bytes: file.bytes, checksum: hash.finish()))
            } catch {
                batch.append(Failure(path: path, reason: error.reason))
            }
            // A file that was not read to its end has no checksum.
            try Task.checkCancellation()
        }
        return batch
    }

    private func report(_ bytes: UInt64, to meter: Meter) async {
        guard lastReport.duration(to: .now) >= Self.interval else { return }
        lastReport = .now
        // If this fails, the caller has died or will receive the result.
        try? await meter.read(bytes, by: getpid())
    }
}

/// Receives the progress of a hasher. It is an actor of the caller, which passes it to the hasher with the call.
distributed actor Meter {
    typealias ActorSystem = LatticeActorSystem

    private let onProgress: @Sendable (_ bytes: UInt64, _ process: Int32) async -> Void

    init(actorSystem: ActorSystem, onProgress: @escaping @Sendable (_ bytes: UInt64, _ process: Int32) async -> Void) {
        self.actorSystem = actorSystem
        self.onProgress = onProgress
    }

    distributed func read(_ bytes: UInt64, by process: Int32) async {
        await onProgress(bytes, process)
    }
}
