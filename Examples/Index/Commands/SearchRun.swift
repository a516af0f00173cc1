import ExampleSupport
import LatticeCore

/// One search for a script: waits until everything is read, then prints a line for each file.
@MainActor struct SearchRun {
    private let viewModel: ViewModel<IndexFeature>
    private let role: Role
    private let path: [UInt8]

    /// - Parameter path: As it was typed, as it is printed.
    init(_ viewModel: ViewModel<IndexFeature>, _ role: Role, path: [UInt8]) {
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
            for line in Self.lines(answer, path: path) { Console.output.write(line + [UInt8(ascii: "\n")]) }
            return answer.counts.isEmpty ? .quitWithErrors : .quit
        } catch is CancellationError {
            return nil
        } catch {
            Console.error.say("wordindex: not searched: \(error)")
            return .quitWithErrors
        }
    }

    /// "FILE:COUNT" for each file, by the bytes of their paths.
    static func lines(_ answer: Answer, path: [UInt8]) -> [[UInt8]] {
        answer.counts
            .map { (path: FileTree.join(path, $0.key.path), count: $0.value) }
            .sorted { FilePath.precedes($0.path, $1.path) }
            .map { $0.path + Array(":\($0.count)".utf8) }
    }
}
