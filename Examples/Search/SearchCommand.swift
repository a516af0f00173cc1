package import ArgumentParser
import Foundation
import Lattice

/// Searches real text while you type: each line of standard input is the whole text of a field after another key.
package struct SearchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Searches the text files below a folder while you type.",
        discussion: """
            Each line of standard input replaces what is searched for. A search begins when no line has come for 300 ms; \
            what was found for an older line is not shown.
            """
    )

    @Argument(help: "The folder.")
    var folder: String

    package init() {}

    @MainActor package func run() async throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            FileHandle.standardError.write(Data("search: there is no folder \(folder); name one that exists\n".utf8))
            throw ExitCode(2)
        }
        let texts = TextCollection(folder: folder)
        let interactor = SearchInteractor(clock: ContinuousClock()) { try await texts.search(for: $0) }
        let show: Task<Void, any Error>
        do {
            let viewModel = ViewModel(
                initialDomainState: SearchState(),
                feature: Feature(interactor: interactor, reducer: SearchReducer())
            )
            // Not the view model: the loop is to end when that goes.
            show = Task { [states = viewModel.viewStates] in
                for await state in states {
                    // Not `print`, whose buffer would have to be flushed: `fflush(nil)` waits for the line that is
                    // being read, too.
                    let lines = state.lines.map { $0 + "\n" }.joined()
                    try FileHandle.standardOutput.write(contentsOf: Data(lines.utf8))
                }
            }
            var last: EventTask?
            for await line in Self.lines { last = viewModel.sendViewEvent(.query(.typed(line))) }
            // The input is over: the last search is not.
            await last?.finish()
            withExtendedLifetime(viewModel) {}
        }
        do {
            try await show.value
        } catch {
            let sentence = "search: cannot write what was found: \(error.localizedDescription)\n"
            FileHandle.standardError.write(Data(sentence.utf8))
            throw ExitCode(1)
        }
    }

    /// The lines of standard input, read on a thread that may wait for them.
    private static var lines: AsyncStream<String> {
        // A thousand lines ahead are more than anybody types; the newest are the ones that matter.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
