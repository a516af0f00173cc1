import Foundation
import Testing

/// The example that is written with macros, and so is not there without them.
@Suite(.timeLimit(.minutes(2))) struct SearchProgramTests {
    @Test("what search finds is shown while its input is open")
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
}
