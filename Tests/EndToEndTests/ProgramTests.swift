import Foundation
import Testing

/// The programs of the README do what it says.
@Suite(.timeLimit(.minutes(10))) struct ProgramTests {
    private struct Output: Decodable {
        struct Total: Decodable { let files, lines, words, bytes: Int }
        let total: Total
        let failures: [[String: String]]
        let incarnations: Int
    }

    @Test(arguments: [[], ["--in-process"]])
    func counterPrintsWhatTheReadmeSays(arguments: [String]) async throws {
        let run = try await Programs.run(Programs.path("counter"), arguments)
        #expect(run.status == 0)
        #expect(run.output == "sum 2\nsum 5 finished\n")
    }

    @Test func tallyCountsTheSources() async throws {
        let root = Programs.package.appendingPathComponent("Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        let contents = names.map { root.appendingPathComponent($0) }
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .compactMap { try? Data(contentsOf: $0) }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }

        let run = try await Programs.run("tally", root.path, "--json")
        #expect(run.status == 0)
        let output = try JSONDecoder().decode(Output.self, from: Data(run.output.utf8))
        #expect(output.total.files == contents.count)
        #expect(output.total.lines == contents.reduce(0) { $0 + $1.count { $0 == 0x0A } })
        #expect(output.total.words == contents.reduce(0) { $0 + $1.split(whereSeparator: isSpace).count })
        #expect(output.total.bytes == contents.reduce(0) { $0 + $1.count })
        #expect(output.failures.isEmpty)
        #expect(output.incarnations == 1)
    }

    @Test("A signal ends a tally whose report is not read")
    @MainActor func reportThatNobodyReads() async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("files")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            // Their names are more than a pipe holds.
            for number in 0..<500 {
                try Data().write(to: folder.appendingPathComponent(String(repeating: "n", count: 200) + "\(number)"))
            }
            try await withProgram("tally", [folder.path, "--json", "--socket", path], isRead: false) { tally in
                await tally.saysSomething()
                #expect(kill(tally.identifier, SIGTERM) == 0)
                #expect(await tally.end() == .init(reason: .uncaughtSignal, status: SIGTERM))
            }
        }
    }
}
