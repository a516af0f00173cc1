import Foundation
import Testing

/// The example that is written with macros, and so is not there without them.
@Suite(.timeLimit(.minutes(10))) struct SearchProgramTests {
    @Test("The search program shows its results while its input is open")
    @MainActor func searchShowsWhatItFinds() async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try Data("some milk\nand honey\n".utf8).write(to: URL(fileURLWithPath: folder + "/list"))
            try await withProgram("search", [folder], hears: true) { search in
                for (text, found) in [("milk", "list:1: some milk"), ("honey", "list:2: and honey")] {
                    try search.tell(text)
                    try await search.says(found)
                }
                try search.stopTalking()
                #expect(await search.end() == .init(reason: .exit, status: 0))
            }
        }
    }

    @Test("The search program reports a closed output where SIGPIPE is ignored")
    @MainActor func searchThatNobodyReads() async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("texts")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data("some milk\n".utf8).write(to: folder.appendingPathComponent("list"))
            // A named pipe that was open for reading only until it was open for writing.
            let line = """
                trap '' PIPE; mkfifo "$2" && exec 3<>"$2" 4>"$2" 3>&-; echo milk | "$0" "$1" 2>&1 >&4
                """
            let run = try await Programs.run("/bin/sh", ["-c", line, Programs.path("search"), folder.path, path])
            #expect(run.status == 1)
            #expect(run.output.hasPrefix("search: cannot write what was found: "))
        }
    }
}
