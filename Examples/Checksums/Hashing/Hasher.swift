import Distributed
import ExampleSupport
import Glibc
import LatticeActors

/// Computes checksums, in a worker of its own. There are several, all alike, and none remembers anything: whatever was
/// asked of one that has died is asked of another.
distributed actor Hasher {
    typealias ActorSystem = LatticeActorSystem

    /// Under which all of them are found, and in which group their workers are.
    static let name = "hasher"
    static let group = "hashers"

    /// How much of a file is in memory at a time.
    private static let pieceBytes = 256 * 1024
    /// How often it says how far it is.
    private static let interval: Duration = .milliseconds(100)

    private var lastTold = ContinuousClock.now

    /// The checksums of some files, in their order.
    ///
    /// - Parameters:
    ///   - paths: Relative to the root.
    ///   - meter: Hears how far it is, if it takes long.
    /// - Throws: `CancellationError`.
    distributed func hash(_ paths: [[UInt8]], for request: HashRequest, telling meter: Meter) async throws
        -> HashedBatch
    {
        lastTold = .now
        var batch = HashedBatch(process: getpid())
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
        defer { buffer.deallocate() }
        var directories = DirectoryChain(root: request.root)
        for path in paths {
            request.trapIfTold(to: path)
            do throws(FileFailure) {
                var file = try OpenFile(path, in: &directories)
                defer { file.close() }
                var hash = SHA256()
                while !Task.isCancelled, let piece = try file.readPiece(into: buffer) {
                    hash.update(piece)
                    await tell(batch.bytes + file.bytes, to: meter)
                }
                batch.append(.init(path: path, bytes: file.bytes, checksum: hash.finish()))
            } catch {
                batch.append(Failure(path: path, reason: error.reason))
            }
            // What was read of the file so far is no result.
            try Task.checkCancellation()
        }
        return batch
    }

    private func tell(_ bytes: UInt64, to meter: Meter) async {
        guard lastTold.duration(to: .now) >= Self.interval else { return }
        lastTold = .now
        // Who does not hear it has died, or will hear the result.
        try? await meter.read(bytes, by: getpid())
    }
}

/// Hears from a hasher how far it is: an actor of whoever waits for the checksums, which the hasher gets with the call.
distributed actor Meter {
    typealias ActorSystem = LatticeActorSystem

    private let hear: @Sendable (_ bytes: UInt64, _ process: Int32) async -> Void

    init(actorSystem: ActorSystem, hear: @escaping @Sendable (_ bytes: UInt64, _ process: Int32) async -> Void) {
        self.actorSystem = actorSystem
        self.hear = hear
    }

    distributed func read(_ bytes: UInt64, by process: Int32) async {
        await hear(bytes, process)
    }
}
