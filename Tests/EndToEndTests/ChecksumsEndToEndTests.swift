import ByteTestSupport
import Foundation
import LatticeTestSupport
import Testing

/// checksums, with real workers, against the standard tool.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ChecksumsEndToEndTests {
    /// Files of all kinds in a new folder, with a path for a socket beside it.
    @MainActor private func withFiles(_ body: (_ folder: URL, _ socket: String) async throws -> Void) async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("files")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            for number in 0..<200 {
                try Data("\(number)".utf8).write(to: folder.appendingPathComponent("\(number).txt"))
            }
            // Names that a shell has no trouble with, unlike a line.
            try await run(
                #"cd "$0" && : > "$(printf 'a\nb')" && : > 'a\b' && : > "$(printf '\377')" && ln -s . up"#,
                folder.path
            )
            try await body(folder, path)
        }
    }

    private func expected(_ folder: URL) async throws -> String {
        let line = #"find "$0" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum"#
        return try await Programs.run("/bin/sh", ["-c", line, folder.path]).output
    }

    @Test("The output is that of sha256sum, which accepts it")
    @MainActor func lines() async throws {
        try await withFiles { folder, socket in
            let run = try await Programs.run("checksums", folder.path, "--workers", "2", "--socket", socket)
            #expect(run.status == 0)
            #expect(run.output == (try await expected(folder)))
            let line = #""$0" "$1" --socket "$2" > "$3" && sha256sum --check --quiet "$3""#
            let program = Programs.path("checksums")
            let check = try await Programs.run("/bin/sh", ["-c", line, program, folder.path, socket, socket + ".sums"])
            #expect(check.status == 0)
        }
    }

    /// Kills the first three workers, and one of their successors unless the program ends before.
    ///
    /// The function does not run on the main actor, because other tests may occupy that for longer than the program
    /// runs.
    private nonisolated static func killWorkers(of program: Int32) async throws -> Set<Int32> {
        var killed: Set<Int32> = []
        try await poll {
            guard let workers = try? children(of: program) else { return true }
            for worker in workers where killed.insert(worker).inserted { kill(worker, SIGKILL) }
            return killed.count >= 4
        }
        return killed
    }

    @Test("The output is the same, whichever workers are killed meanwhile")
    @MainActor func killedWorkers() async throws {
        try await withFiles { folder, socket in
            for name in ["large", "larger"] {
                let file = folder.appendingPathComponent(name).path
                #expect(FileManager.default.createFile(atPath: file, contents: nil))
                // Nothing of it is stored.
                #expect(truncate(file, Repetitions.count(512) << 20) == 0)
            }
            let expected = try await expected(folder)
            let arguments = [folder.path, "--workers", "2", "--socket", socket]
            try await withProgram("checksums", arguments) { program in
                async let output = program.restOfOutput()
                let killed = try await Self.killWorkers(of: program.identifier)
                #expect(!killed.isEmpty)
                #expect(await output == expected)
                #expect(await program.end() == .init(reason: .exit, status: 0))
            }
        }
    }

    @Test("A file that crashes every hasher is left out, and all other files are listed")
    @MainActor func deadlyFile() async throws {
        try await withFiles { folder, socket in
            let expected = try await expected(folder).split(separator: "\n").filter { !$0.hasSuffix("/7.txt") }
            let arguments = [folder.path, "--workers", "2", "--socket", socket, "--crash-on", "7.txt"]
            let run = try await Programs.run(Programs.path("checksums"), arguments)
            #expect(run.status == 1)
            #expect(run.output.split(separator: "\n") == expected)
        }
    }
}
