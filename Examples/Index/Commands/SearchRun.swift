import ExampleSupport
import LatticeCore

/// A search for a script: waits until all files have been read, and prints a line for each file with the word.
@MainActor struct SearchRun {
    private let viewModel: ViewModel<IndexFeature>
    private let role: Role
    private let path: [UInt8]

    /// - Parameter path: The path as it was typed, which is printed in front of the files.
    init(_ viewModel: ViewModel<IndexFeature>, _ role: Role, path: [UInt8]) {
        self.viewModel = viewModel
        self.role = role
        self.path = path
    }

    /// Runs the search.
    ///
    /// - Returns: How the program ends, or nil if the task is cancelled.
    func run(_ word: String, since start: ContinuousClock.Instant) async -> Ending? {
        // An index that existed before may contain older versions of the files.
        if case .client = role { await viewModel.sendViewEvent(.read).finish() }
        for await view in viewModel.viewStates where view.isComplete { break }
        let view = viewModel.viewState
        Console.error.say("\(view.progress) in \(Int(start.duration(to: .now) / .milliseconds(1))) ms")
        do {
            let answer = try await viewModel.ask(word)
            for line in Self.lines(answer, path: path) { Console.output.write(line + [UInt8(ascii: "\n")]) }
            return answer.counts.isEmpty ? .quitWithErrors : .quit
        } catch is CancellationError {
            return nil
        } catch {
            Console.error.say("wordindex: not searched: \(error)")
            return .quitWithErrors
        }
    }

    /// Returns a line "FILE:COUNT" for each file, sorted by the bytes of the paths.
    static func lines(_ answer: Answer, path: [UInt8]) -> [[UInt8]] {
        answer.counts
            .map { (path: FileTree.join(path, $0.key.path), count: $0.value) }
            .sorted { FilePath.precedes($0.path, $1.path) }
            .map { $0.path + Array(":\($0.count)".utf8) }
    }
}
