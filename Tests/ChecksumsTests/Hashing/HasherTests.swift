import Foundation
import LatticeActors
import LatticeTesting
import Testing

@testable import ChecksumsProgram

@Suite(.timeLimit(.minutes(10))) struct HasherTests {
    /// The sums of the examples of FIPS 180-2, and of an empty message.
    private static let sums = [
        ("empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("short", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "pieces", String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test(
        "The sums match known sums, also when they are sent between two processes",
        arguments: TestPlacement.allCases
    )
    func knownSums(placement: TestPlacement) async throws {
        try await withFolder { folder in
            for (name, text, _) in Self.sums { try folder.write(text, to: name) }
            let paths = (Self.sums.map(\.0) + ["missing"]).map { Array($0.utf8) }
            let request = HashRequest(root: folder.bytes, workers: 1)
            try await withActorSystems(placement: placement) { caller, host in
                try host.host(Hasher.name) { Hasher(actorSystem: $0) }
                let hasher = try await caller.resolve(Hasher.self, named: Hasher.name, within: .seconds(120))
                let batch = try await hasher.hash(
                    paths,
                    for: request,
                    reporting: Meter(actorSystem: caller) { _, _ in }
                )
                #expect(batch.process == getpid())
                #expect(batch.bytes == 1_000_003)
                #expect(batch.files.map(\.path) == Array(paths.dropLast()))
                #expect(batch.files.map(\.checksum.description) == Self.sums.map(\.2))
                #expect(batch.failures == [Failure(path: Array("missing".utf8), reason: "No such file or directory")])
            }
        }
    }

    @Test("A long hash reports its progress, and ends when its caller stops waiting")
    func longFiles() async throws {
        try await withFolder { folder in
            try folder.write("", to: "large")
            // Hours, of which nothing is stored.
            #expect(truncate(folder.appendingPathComponent("large").path, 1 << 42) == 0)
            let request = HashRequest(root: folder.bytes, workers: 1)
            try await withActorSystems(placement: .memoryWorker, cancelTimeout: .seconds(120)) { caller, host in
                try host.host(Hasher.name) { Hasher(actorSystem: $0) }
                let hasher = try await caller.resolve(Hasher.self, named: Hasher.name, within: .seconds(120))
                let (counts, continuation) = AsyncStream<UInt64>.makeStream()
                let meter = Meter(actorSystem: caller) { bytes, _ in continuation.yield(bytes) }
                let call = Task { try await hasher.hash([Array("large".utf8)], for: request, reporting: meter) }
                var last: UInt64 = 0
                for await bytes in counts.prefix(3) {
                    #expect(bytes > last)
                    last = bytes
                }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
        }
    }

    @Test(arguments: [("*.bad", "sub/a.bad", true), ("sub/*", "sub/a", true), ("a", "sub/a", true), ("a", "ab", false)])
    func patternsMatchNamesAndPaths(pattern: String, path: String, matches: Bool) {
        let request = HashRequest(root: [], workers: 1, crashOn: pattern)
        #expect(request.isTrapRequested(for: Array(path.utf8)) == matches)
        #expect(!HashRequest(root: [], workers: 1).isTrapRequested(for: Array(path.utf8)))
    }
}
