import ArgumentParser
import ExampleSupport
import Glibc
import LatticeCoordinator
import LatticeCore
import Logging

/// `tally PATH`.
struct CountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Counts what is below PATH (the default)."
    )

    @Argument(help: "The directory, or the file, to count.")
    var path: String

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    @Option(help: "Where `tally attach` connects. Default: a new socket in the user's runtime directory.")
    var socket: String?

    @Option(name: .customLong("crash-on"), help: "Make the worker trap on files that match this pattern.")
    var crashOn: String?

    @Option(name: .customLong("state-limit"), help: "How many bytes the worker's state may have.")
    var stateLimit = CoordinatorConfiguration().maximumStateBytes

    /// How the tally came to its end.
    private enum Ending: Sendable {
        /// The life of the worker that came to the end; nil if that is gone by now.
        case done(incarnation: UInt64?)
        /// Why it cannot go on.
        case failed(String)
        case signal(Int32)
    }

    func run() async throws {
        // Before there is anything that a signal could leave behind.
        let signals = await Signals.trap()
        Console.survivePipes()
        let root = try resolvedRoot()
        let socket = try socket ?? SocketDirectory.own()
        let (ending, state) = try await tally(root, socket, signals)
        // A pipe that nobody reads may hold up the report for ever.
        await signals.release()
        if var state {
            // A worker that died before it could begin has left no trace in the state.
            if case .done(let incarnation?) = ending { state.incarnations = Int(incarnation) }
            try write(Report(state, root: CommandLineBytes.of(path)))
        }
        switch ending {
        case .signal(let number): throw ExitCode(128 + number)
        case .failed(let reason):
            StatusLine.say("tally: \(reason)")
            throw ExitCode(1)
        case .done: break
        }
        let isComplete = state.map { $0.phase == .finished && $0.failures.isEmpty } ?? false
        if !isComplete { throw ExitCode(1) }
    }

    private func resolvedRoot() throws(ProgramError) -> [UInt8] {
        let resolved = FilePath.withCString(CommandLineBytes.of(path)) { realpath($0, nil) }
        guard let resolved else { throw ProgramError("\(path): \(String(cString: strerror(errno)))") }
        defer { free(resolved) }
        return UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
    }

    @MainActor private func tally(
        _ root: [UInt8],
        _ socket: String,
        _ signals: Signals
    ) async throws -> (Ending, TallyState?) {
        var configuration = CoordinatorConfiguration()
        configuration.logger = Logger(label: "tally") { _ in LineLogHandler(StatusLine.say) }
        configuration.maximumStateBytes = stateLimit
        // Somebody may kill its workers for as long as they like.
        configuration.restart.intensity = 100
        // A crash is an answer here, not a riddle: seconds of backtrace for each would only hold up the others.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        do {
            return try await withCoordinator(
                hosting: TallyFeature.self,
                listeningAt: socket,
                configuration: configuration
            ) { coordinator in
                StatusLine.say("socket \(socket)")
                let ending = try await count(root, coordinator, signals)
                return (ending, coordinator.acknowledgedState(of: TallyFeature.self))
            }
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }

    /// Counts and shows the progress to the end, or until a signal comes.
    @MainActor private func count(
        _ root: [UInt8],
        _ coordinator: Coordinator,
        _ signals: Signals
    ) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
            group.addTask { await signals.first().map { .signal($0) } }
            group.addTask { try await scan(root, coordinator) }
            defer { group.cancelAll() }
            let ending = try await group.next() ?? nil
            if case .signal = ending { await cancel(coordinator) }
            return ending ?? .done(incarnation: nil)
        }
    }

    @MainActor private func scan(_ root: [UInt8], _ coordinator: Coordinator) async throws -> Ending {
        let viewModel = try await coordinator.viewModel(TallyFeature.self)
        let event = viewModel.sendViewEvent(.scan(ScanRequest(root: root, crashOn: crashOn)))
        async let display: Void = ProgressDisplay(viewModel).run()
        // As when there are more files than a state holds. An event whose worker has died goes on in the next one.
        if case .failed(let failure) = await event.finish() { return .failed(failure.message) }
        await display
        return switch viewModel.hostStatus {
        case .failed(let failure): .failed(failure.reason)
        case .serving(let serving): .done(incarnation: serving.incarnation)
        default: .done(incarnation: nil)
        }
    }

    /// Ends what runs, so that what was counted so far is complete. A worker that does not answer is not waited for.
    @MainActor private func cancel(_ coordinator: Coordinator) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sendCancel(coordinator) }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    @MainActor private func sendCancel(_ coordinator: Coordinator) async {
        // Without a worker there is nothing to end.
        let viewModel = try? await coordinator.viewModel(TallyFeature.self)
        await viewModel?.sendViewEvent(.cancel).finish()
    }

    private func write(_ report: Report) throws {
        var console = Console.output
        if json {
            try JSONOutput(report).write(to: &console)
        } else {
            TableOutput(report).write(to: &console)
        }
        try console.finish(StatusLine.sayNotWritten)
    }
}
