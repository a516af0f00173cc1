import ExampleSupport
import LatticeCore

/// One search for a script: waits until everything is read, then prints a line for each file.
@MainActor struct SearchRun {
    private let viewModel: ViewModel<IndexFeature>
    private let role: Role
    private let path: String

    /// - Parameter path: As it was typed, as it is printed.
    init(_ viewModel: ViewModel<IndexFeature>, _ role: Role, path: String) {
        self.viewModel = viewModel
        self.role = role
        self.path = path
    }

    /// - Returns: nil if the task is cancelled.
    func run(_ word: String, since start: ContinuousClock.Instant) async -> Ending? {
        // An index that was there before may know older files.
        if role == .client { await viewModel.sendViewEvent(.read).finish() }
        for await view in viewModel.viewStates where view.isComplete { break }
        let view = viewModel.viewState
        Console.error.say("\(view.progress) in \(Int(start.duration(to: .now) / .milliseconds(1))) ms")
        do {
            let answer = try await viewModel.ask(word)
            for line in Self.lines(answer, path: path) { Console.output.write(line + "\n") }
            return answer.counts.isEmpty ? .quitWithErrors : .quit
        } catch is CancellationError {
            return nil
        } catch {
            Console.error.say("wordindex: not searched: \(error)")
            return .quitWithErrors
        }
    }

    /// "FILE:COUNT" for each file, by the bytes of their paths.
    static func lines(_ answer: Answer, path: String) -> [String] {
        answer.counts
            .map { (FileTree.join(path, $0.key), $0.value) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            .map { "\($0):\($1)" }
    }
}
