import LatticeActors

/// Hashes one batch after the other, and repeats the calls of hashers that die.
struct Lane: Sendable {
    /// The number of hashers that may end while they hash a file. The cause of an end is not known, and a hasher that
    /// was killed counts like one that crashed. Therefore the limit is higher than for crashes alone.
    static let tries = 5

    /// Takes the next batch.
    let claim: @Sendable () async throws -> WorkList.Batch?
    /// Calls a hasher.
    let call: @Sendable (_ paths: [[UInt8]]) async throws -> HashedBatch
    /// Stores the result of a batch.
    let hashed: @Sendable (HashedBatch) async -> Void
    /// Stores files that could not be hashed.
    let failed: @Sendable ([Failure]) async -> Void

    func run() async throws {
        while let batch = try await claim() {
            if !batch.unreadable.isEmpty { await failed(batch.unreadable) }
            if !batch.paths.isEmpty { try await hash(batch.paths) }
        }
    }

    /// Hashes files together. If their hasher ends, each one is hashed again alone, which shows the file that caused
    /// it.
    private func hash(_ paths: [[UInt8]]) async throws {
        do {
            await hashed(try await call(paths))
        } catch let error as ActorCallError where error.isEndOfProcess {
            for path in paths { try await hash(path, after: error) }
        }
    }

    /// Hashes one file. Hashing twice does no harm, so a call that may have begun is repeated.
    private func hash(_ path: [UInt8], after first: ActorCallError) async throws {
        var error = first
        for _ in 1..<Self.tries {
            do {
                return await hashed(try await call([path]))
            } catch let next as ActorCallError where next.isEndOfProcess {
                error = next
            }
        }
        await failed([
            Failure(path: path, reason: "hashing it ended \(Self.tries) hashers; the last one: \(error.message)")
        ])
    }
}

extension ActorCallError {
    /// A Boolean value that indicates whether there is no answer because the actor's process has ended.
    fileprivate var isEndOfProcess: Bool { code == .lost || code == .unknownProcess }
}
