package import ArgumentParser
import ExampleSupport
import LatticeCoordinator
import LatticeCore
import Logging

/// The program. It is a worker if a coordinator has started it, and otherwise a terminal for searching.
package struct Index: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "wordindex",
        abstract: "Searches the words of all text files below a path while they are read.",
        discussion: """
            A worker process reads the files and keeps the words. Other terminals with the \
            same path search in the same index. When the first one quits, the others quit \
            too.

            A word is a run of ASCII letters, digits and underscores, as for grep -w in the C \
            locale. A file with a zero byte is no text file. With --search, each line is \
            FILE:COUNT, as from LC_ALL=C grep -rowFI WORD PATH | sort | uniq -c.

            Keys: \(IndexScreen.help).

            Example: wordindex src --search main

            Exit codes: 0 found or quit, 1 not found or no worker, 2 wrong usage, \
            130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP.
            """
    )

    @Argument(help: "The folder or file to index.")
    var path: String

    @Option(help: "Wait until all files are read, then print the files with this word and its count in each.")
    var search: String?

    @Flag(help: "Do all work in this process. Other terminals do not see the index.")
    var inProcess = false

    @Option(help: "The socket of the index, or a folder for it. Default: one of this user for the path.")
    var socket: String?

    /// Creates the command.
    package init() {}

    /// Runs the program, as a worker or as a command.
    package static func main() async {
        await main(asWorkerHosting: IndexFeature.self)
    }

    package func validate() throws {
        if let search, !Words.isWord(search) {
            throw ValidationError("\"\(search)\" is no word; use ASCII letters, digits and underscores")
        }
    }

    @MainActor package func run() async throws {
        // Signals are trapped before there is anything that a signal could leave behind.
        let signals = await Signals.trap()
        Console.survivePipes()
        let start = ContinuousClock.now
        let root = try FilePath.resolved(path)
        let terminal = search == nil ? Terminal() : nil
        guard terminal != nil || search != nil else {
            throw ProgramError("there is no terminal to type a word in; use --search WORD")
        }
        let input = try Input()
        let ending = try await withIndex(of: root, signals) { viewModel, role in
            guard let terminal else {
                return await search(viewModel, role, signals, since: start)
            }
            try terminal.enter()
            defer { terminal.leave() }
            return await IndexSession(viewModel, role, input, terminal, root: path).run(signals)
        }
        ending.tell(as: "wordindex", of: "the index")
        try Console.output.finish { Console.error.say("wordindex: cannot write what was found: \($0)") }
        guard ending.exitCode.isSuccess else { throw ending.exitCode }
    }

    @MainActor private func withIndex(
        of root: [UInt8],
        _ signals: Signals,
        _ body: @escaping Sharing<IndexFeature>.Body
    ) async throws -> Ending {
        if inProcess {
            let context = HostContext(configuration: IndexFeature.Configuration(root: root))
            return try await body(ViewModel(inProcess: IndexFeature.self, in: context), .coordinator)
        }
        var configuration = CoordinatorConfiguration()
        configuration.configure(IndexFeature.self) { _ in IndexFeature.Configuration(root: root) }
        // Log lines would disturb the screen, which shows the status of the worker itself.
        let isScreen = search == nil
        configuration.logger = Logger(label: "wordindex") { _ in
            let handler: any LogHandler = isScreen ? SwiftLogNoOpLogHandler() : LineLogHandler { Console.error.say($0) }
            return handler
        }
        let socket = try SocketPlace.path(socket, name: IndexPlace.socket(for: root), of: "wordindex")
        return try await Sharing<IndexFeature>(socket: socket, configuration: configuration).run(signals, body)
    }

    /// Searches when all files have been read, and prints the result.
    @MainActor private func search(
        _ viewModel: ViewModel<IndexFeature>,
        _ role: Role,
        _ signals: Signals,
        since start: ContinuousClock.Instant
    ) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { await .ofHost(viewModel, role) }
            group.addTask {
                await SearchRun(viewModel, role, path: CommandLineBytes.of(path)).run(search ?? "", since: start)
            }
            defer { group.cancelAll() }
            for await case let ending? in group { return ending }
            return .quit
        }
    }
}

/// The socket at which the terminals of one path meet.
enum IndexPlace {
    /// Returns a name that depends on the path only (FNV-1a). Different paths very rarely have the same name.
    static func socket(for root: [UInt8]) -> String {
        let hash = root.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16) + ".sock"
    }
}
