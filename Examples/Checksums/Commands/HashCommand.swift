import ArgumentParser
import ExampleSupport
import Glibc
import LatticeCoordinator
import LatticeCore

/// `checksums PATH`.
struct HashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Prints the checksums of the files below PATH (the default)."
    )

    /// The default number of workers, which is one for each core.
    private static let cores = min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), WorkerGroup.maximumWorkers)

    @Argument(help: "The directory or file to hash.")
    var path: String

    @Option(help: "The number of hashing workers, 1 to \(WorkerGroup.maximumWorkers). One more coordinates them.")
    var workers = cores

    @Option(help: "The socket for `checksums attach`. Default: a new one in the user's runtime directory.")
    var socket: String?

    @Option(name: .customLong("crash-on"), help: "Make a worker crash on files that match this pattern.")
    var crashOn: String?

    func validate() throws {
        guard 1...WorkerGroup.maximumWorkers ~= workers else {
            throw ValidationError("\(workers) workers are not possible; use 1 to \(WorkerGroup.maximumWorkers)")
        }
    }

    func run() async throws {
        // Signals are trapped before there is anything that a signal could leave behind.
        let signals = await Signals.trap()
        Console.survivePipes()
        let root = try FilePath.resolved(path)
        let job = await JobRun(
            of: ChecksumsFeature.self,
            at: try socket ?? SocketDirectory(of: "checksums").own,
            coordinatorConfiguration,
            start: .hash(HashRequest(root: root, workers: workers, crashOn: crashOn)),
            cancel: .cancel
        )
        let (ending, state) = try await job.run(signals)
        // A pipe without a reader may block the output forever, so signals end the program again.
        await signals.release()
        if let state { try write(SumLines(state, below: CommandLineBytes.of(path))) }
        if let code = ending.tell(as: "checksums") { throw code }
        if let reason = state?.reason { StatusLine.say("checksums: \(reason)") }
        let isComplete = state.map { $0.phase == .finished && $0.failures.isEmpty } ?? false
        if !isComplete { throw ExitCode(1) }
    }

    private var coordinatorConfiguration: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.job("checksums")
        var hashers = WorkerGroup(Hasher.group, workers: workers)
        hashers.restart = configuration.restart
        // Several files may end their hashers one after the other, and all other files wait for the restarts.
        hashers.restart?.maximumDelay = .milliseconds(500)
        configuration.groups = [hashers]
        return configuration
    }

    private func write(_ lines: SumLines) throws {
        for failure in lines.failures { StatusLine.say("checksums: \(failure)") }
        for line in lines.sums { Console.output.write(line) }
        try Console.output.finish { StatusLine.sayNotWritten($0, by: "checksums") }
    }
}
