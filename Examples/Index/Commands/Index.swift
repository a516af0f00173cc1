package import ArgumentParser
import ExampleSupport
import LatticeCoordinator
import LatticeCore
import Logging

/// The program: a worker if a coordinator started it, else a terminal that searches.
package struct Index: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "wordindex",
        abstract: "Searches the words of all text files below a path while they are being read.",
        discussion: """
            A worker process reads and keeps the words. Each further terminal with the same path searches in the same \
            index; when the first one quits, the index is gone and the others quit too.

            A word is a longest run of ASCII letters, digits and underscores, as for grep -w in the C locale. A file \
            with a zero byte is no text. With --search, each line is FILE:COUNT, as of
              LC_ALL=C grep -rowFI WORD PATH | sort | uniq -c

            Keys: \(IndexScreen.help).

            Exit: 0 found or quit, 1 not found or no worker, 2 wrong use, \
            130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP.
            """
    )

    @Argument(help: "The folder, or the file, to index.")
    var path: String

    @Option(help: "Print the files that this word is in when all files are read, and how often.")
    var search: String?

    @Flag(help: "Do all work in this process. Nobody else sees the index.")
    var inProcess = false

    @Option(help: "The socket to meet at, or a folder for it. Default: one of this user for the path.")
    var socket: String?

    package init() {}

    package static func main() async {
        await main(asWorkerHosting: IndexFeature.self)
    }

    package func validate() throws {
        if let search, !Words.isWord(search) {
            throw ValidationError("\"\(search)\" is no word; use ASCII letters, digits and underscores")
        }
    }

    @MainActor package func run() async throws {
        // Before there is anything that a signal could leave behind.
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
        // Lines between those of a screen would spoil it; it shows how the worker is by itself.
        let isScreen = search == nil
        configuration.logger = Logger(label: "wordindex") { _ in
            let handler: any LogHandler = isScreen ? SwiftLogNoOpLogHandler() : LineLogHandler { Console.error.say($0) }
            return handler
        }
        let socket = try SocketPlace.path(socket, name: IndexPlace.socket(for: root), of: "wordindex")
        return try await Sharing<IndexFeature>(socket: socket, configuration: configuration).run(signals, body)
    }

    /// Searches once everything is read, and prints what was found.
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

/// Where the terminals of one path meet.
enum IndexPlace {
    /// A name that is the same for the same path, and hardly ever for another one (FNV-1a).
    static func socket(for root: [UInt8]) -> String {
        let hash = root.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16) + ".sock"
    }
}
