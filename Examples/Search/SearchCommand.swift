package import ArgumentParser
import Foundation
import Lattice

/// Searches text files while you type. Each line of standard input is the whole text of a search field after a key
/// press.
package struct SearchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Searches the text files below a folder while you type.",
        discussion: """
            Each line of standard input replaces the text to search for. A search begins when \
            no line has arrived for 300 ms. The result of an older line is not shown.

            Example: echo main | search src

            Exit codes: 0 success, 1 the result cannot be written, 2 there is no such folder, \
            64 wrong usage.
            """
    )

    @Argument(help: "The folder to search.")
    var folder: String

    /// Creates the command.
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
            // The task does not keep the view model, so the loop ends when the view model is deallocated.
            show = Task { [states = viewModel.viewStates] in
                for await state in states {
                    // This does not use `print`, whose buffer would have to be flushed: `fflush(nil)` would also wait
                    // for
                    // the line that is being read.
                    let lines = state.lines.map { $0 + "\n" }.joined()
                    try FileHandle.standardOutput.write(contentsOf: Data(lines.utf8))
                }
            }
            var last: EventTask?
            for await line in Self.lines { last = viewModel.sendViewEvent(.query(.typed(line))) }
            // The input has ended, but the last search may still be running.
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

    /// The lines of standard input. They are read on a thread that may block.
    private static var lines: AsyncStream<String> {
        // If more than a thousand lines are waiting, the newest ones are kept, because only they matter.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
