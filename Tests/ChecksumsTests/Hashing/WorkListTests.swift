import Foundation
import Testing

@testable import ChecksumsProgram

@Suite(.timeLimit(.minutes(10))) struct WorkListTests {
    private func batches(_ folder: URL, knowing known: Set<String> = []) async throws -> [WorkList.Batch] {
        let list = WorkList(root: folder.bytes) { known.contains(String(decoding: $0, as: UTF8.self)) }
        var batches: [WorkList.Batch] = []
        while let batch = try await list.claim() { batches.append(batch) }
        return batches
    }

    private func names(_ batches: [WorkList.Batch]) -> [String] {
        batches.flatMap { $0.paths.map { String(decoding: $0, as: UTF8.self) } }.sorted()
    }

    @Test func batchesAreSmall() async throws {
        try await withFolder { folder in
            for number in 0..<200 { try folder.write("", to: "\(number)") }
            let batches = try await batches(folder)
            #expect(batches.map(\.paths.count) == [64, 64, 64, 8])
            #expect(names(batches) == (0..<200).map(String.init).sorted())
        }
    }

    @Test("A large file is a batch of its own, wherever it is in the list")
    func largeFiles() async throws {
        try await withFolder { folder in
            for number in 0..<6 {
                try folder.write("", to: "\(number)")
                let size = number.isMultiple(of: 2) ? Int(WorkList.maximumBatchBytes) : 1
                #expect(truncate(folder.appendingPathComponent("\(number)").path, size) == 0)
            }
            let batches = try await batches(folder)
            #expect(names(batches) == ["0", "1", "2", "3", "4", "5"])
            for batch in batches where names([batch]).contains(where: { ["0", "2", "4"].contains($0) }) {
                #expect(batch.paths.count == 1)
            }
        }
    }

    @Test("Regular files are found, links are not followed, and files with known sums are left out")
    func kinds() async throws {
        try await withFolder { folder in
            let below = folder.appendingPathComponent("sub/deep")
            try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
            try folder.write("", to: ".hidden")
            try below.write("", to: "file")
            try below.write("", to: "known")
            #expect(symlink("sub", folder.appendingPathComponent("link").path) == 0)
            #expect(symlink(".hidden", folder.appendingPathComponent("filelink").path) == 0)
            #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
            #expect(names(try await batches(folder, knowing: ["sub/deep/known"])) == [".hidden", "sub/deep/file"])
            // The root may be a file.
            #expect(try await batches(below.appendingPathComponent("file")).map(\.paths) == [[[]]])
            let pipe = try await batches(folder.appendingPathComponent("pipe"))
            #expect(
                pipe.map(\.unreadable) == [[Failure(path: [], reason: "it is neither a directory nor a regular file")]]
            )
        }
    }
}
