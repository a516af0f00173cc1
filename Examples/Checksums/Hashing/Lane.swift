import LatticeActors

/// Hashes one batch after the other, and makes up for hashers that die.
struct Lane: Sendable {
    /// How many hashers may end over a file. It is not said who is to blame: one that was killed from outside counts as
    /// one that crashed, so there are more of them than a crash would need.
    static let tries = 5

    /// Takes the next batch.
    let claim: @Sendable () async throws -> WorkList.Batch?
    /// Calls a hasher.
    let call: @Sendable (_ paths: [[UInt8]]) async throws -> HashedBatch
    /// Takes what is done.
    let hashed: @Sendable (HashedBatch) async -> Void
    let failed: @Sendable ([Failure]) async -> Void

    func run() async throws {
        while let batch = try await claim() {
            if !batch.unreadable.isEmpty { await failed(batch.unreadable) }
            if !batch.paths.isEmpty { try await hash(batch.paths) }
        }
    }

    /// Hashes files together. If their hasher ends, they are hashed again, each alone: so it shows which one it was.
    private func hash(_ paths: [[UInt8]]) async throws {
        do {
            await hashed(try await call(paths))
        } catch let error as ActorCallError where error.isEndOfProcess {
            for path in paths { try await hash(path, after: error) }
        }
    }

    /// To hash a file twice harms nobody, so a call is made again that may have begun.
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
            Failure(path: path, reason: "hashing it ended \(Self.tries) hashers; of the last one: \(error.message)")
        ])
    }
}

extension ActorCallError {
    /// Whether there is no answer because the actor's process has ended.
    fileprivate var isEndOfProcess: Bool { code == .lost || code == .unknownProcess }
}
