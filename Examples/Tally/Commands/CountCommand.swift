import ArgumentParser
import ExampleSupport
import LatticeCoordinator
import LatticeCore

/// `tally PATH`.
struct CountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Counts the files below PATH (the default)."
    )

    @Argument(help: "The directory or file to count.")
    var path: String

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    @Option(help: "The socket for `tally attach`. Default: a new one in the user's runtime directory.")
    var socket: String?

    @Option(name: .customLong("crash-on"), help: "Make the worker crash on files that match this pattern.")
    var crashOn: String?

    @Option(name: .customLong("state-limit"), help: "The maximum size of the worker's state in bytes.")
    var stateLimit = CoordinatorConfiguration().maximumStateBytes

    func run() async throws {
        // Signals are trapped before there is anything that a signal could leave behind.
        let signals = await Signals.trap()
        Console.survivePipes()
        let root = try FilePath.resolved(path)
        var configuration = CoordinatorConfiguration.job("tally")
        configuration.maximumStateBytes = stateLimit
        let job = await JobRun(
            of: TallyFeature.self,
            at: try socket ?? SocketDirectory(of: "tally").own,
            configuration,
            start: .scan(ScanRequest(root: root, crashOn: crashOn)),
            cancel: .cancel
        )
        let (ending, state) = try await job.run(signals)
        // A pipe without a reader may block the report forever, so signals end the program again.
        await signals.release()
        if var state {
            // A worker that died before it could begin is not counted in the state.
            if case .done(let incarnation?) = ending { state.incarnations = Int(incarnation) }
            try write(Report(state, root: CommandLineBytes.of(path)))
        }
        if let code = ending.tell(as: "tally") { throw code }
        let isComplete = state.map { $0.phase == .finished && $0.failures.isEmpty } ?? false
        if !isComplete { throw ExitCode(1) }
    }

    private func write(_ report: Report) throws {
        var console = Console.output
        if json {
            try JSONOutput(report).write(to: &console)
        } else {
            TableOutput(report).write(to: &console)
        }
        try console.finish { StatusLine.sayNotWritten($0, by: "tally") }
    }
}
