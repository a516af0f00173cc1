import Synchronization
import Testing

@testable import ChecksumsProgram
@testable import LatticeActors

@Suite(.timeLimit(.minutes(10))) struct LaneTests {
    private struct Record {
        var batches: [[String]]
        var calls: [[String]] = []
        var hashed: [[String]] = []
        var failures: [Failure] = []
    }

    /// Returns the results of batches whose calls end in the given way.
    ///
    /// - Parameter error: Returns the error that a call with these paths throws, given the number of earlier calls.
    private func run(
        _ batches: [[String]],
        _ error: @escaping @Sendable (_ paths: [String], _ before: Int) -> (any Error)?
    ) async throws -> Record {
        let record = Mutex(Record(batches: batches))
        let lane = Lane {
            record.withLock { record -> WorkList.Batch? in
                guard !record.batches.isEmpty else { return nil }
                return WorkList.Batch(paths: record.batches.removeFirst().map { Array($0.utf8) })
            }
        } call: { paths in
            let names = paths.map { String(decoding: $0, as: UTF8.self) }
            let before = record.withLock { record in
                defer { record.calls.append(names) }
                return record.calls.count { !Set($0).isDisjoint(with: names) }
            }
            if let error = error(names, before) { throw error }
            var batch = HashedBatch(process: 1)
            for path in paths { batch.append(HashedFile(path: path, bytes: 1, checksum: Checksum([]))) }
            return batch
        } hashed: { batch in
            record.withLock { $0.hashed.append(batch.files.map { String(decoding: $0.path, as: UTF8.self) }) }
        } failed: { failures in
            record.withLock { $0.failures += failures }
        }
        try await lane.run()
        return record.withLock { $0 }
    }

    private static let lost = ActorCallError(.lost, "it ended: killed", .mayHaveBegun)

    @Test(
        "The files of a hasher that died are hashed again, one at a time",
        arguments: [.lost, .unknownProcess] as [ActorCallError.Code]
    )
    func lostOnce(code: ActorCallError.Code) async throws {
        let error = ActorCallError(code, "", .mayHaveBegun)
        let record = try await run([["a", "b"], ["c"]]) { _, before in before == 0 ? error : nil }
        #expect(record.calls == [["a", "b"], ["a"], ["b"], ["c"], ["c"]])
        #expect(record.hashed == [["a"], ["b"], ["c"]])
        #expect(record.failures.isEmpty)
    }

    @Test func aFileThatEndsFiveHashersIsReportedAndTheRestHashed() async throws {
        let record = try await run([["a", "b", "c"], ["d"]]) { paths, _ in paths.contains("b") ? Self.lost : nil }
        #expect(record.hashed == [["a"], ["c"], ["d"]])
        #expect(record.calls.count { $0.contains("b") } == Lane.tries)
        let reason = "hashing it ended 5 hashers; the last one: it ended: killed"
        #expect(record.failures == [Failure(path: Array("b".utf8), reason: reason)])
    }

    @Test func aFailureThatAnotherHasherWouldRepeatEndsTheJob() async {
        let error = await #expect(throws: ActorCallError.self) {
            _ = try await run([["a"]]) { _, _ in ActorCallError(.unknownMethod, "", .notSent) }
        }
        #expect(error?.code == .unknownMethod)
    }
}
