import ArgumentParser
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

    /// How the tally came to its end.
    private enum Ending: Sendable {
        case done
        case failed(HostFailure)
        case signal(Int32)
    }

    func run() async throws {
        let root = try resolvedRoot()
        let socket = socket ?? SocketDirectory.own
        let (ending, state) = try await tally(root, socket)
        if let state { try write(Report(state, root: CommandLineBytes.of(path))) }
        switch ending {
        case .signal(let number): throw ExitCode(128 + number)
        case .failed(let failure): throw failed(failure)
        case .done: break
        }
        let isComplete = state.map { $0.phase == .finished && $0.failures.isEmpty } ?? false
        if !isComplete { throw ExitCode(1) }
    }

    private func resolvedRoot() throws(TallyError) -> [UInt8] {
        let resolved = FilePath.withFullPath(CommandLineBytes.of(path), []) { realpath($0, nil) }
        guard let resolved else { throw TallyError("\(path): \(String(cString: strerror(errno)))") }
        defer { free(resolved) }
        return UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
    }

    @MainActor private func tally(_ root: [UInt8], _ socket: String) async throws -> (Ending, TallyState?) {
        var configuration = CoordinatorConfiguration()
        configuration.logger = Logger(label: "tally") { _ in ProgressLogHandler() }
        // A crash is an answer here, not a riddle: seconds of backtrace for each would only hold up the others.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        do {
            return try await withCoordinator(
                hosting: TallyFeature.self,
                listeningAt: socket,
                configuration: configuration
            ) { coordinator in
                StatusLine.say("socket \(socket)")
                let viewModel = try await coordinator.viewModel(TallyFeature.self)
                viewModel.sendViewEvent(.scan(ScanRequest(root: root, crashOn: crashOn)))
                let ending = await watch(viewModel)
                return (ending, coordinator.acknowledgedState(of: TallyFeature.self))
            }
        } catch let error as CoordinatorError {
            throw TallyError(error.message)
        }
    }

    /// Shows the progress until the end of the tally, or until a signal has cancelled it.
    @MainActor private func watch(_ viewModel: ViewModel<TallyFeature>) async -> Ending {
        let display = ProgressDisplay(viewModel)
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask {
                await display.run()
                return nil
            }
            group.addTask { await Signals.next() }
            defer { group.cancelAll() }
            if let number = await group.next() ?? nil {
                await cancel(viewModel)
                return .signal(number)
            }
            if case .failed(let failure) = viewModel.host { return .failed(failure) }
            return .done
        }
    }

    /// Ends what runs, so that what was counted so far is complete. A worker that does not answer is not waited for.
    @MainActor private func cancel(_ viewModel: ViewModel<TallyFeature>) async {
        let event = viewModel.sendViewEvent(.cancel)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await event.finish() }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func write(_ report: Report) throws {
        var console = Console.output
        if json {
            try JSONOutput(report).write(to: &console)
        } else {
            TableOutput(report).write(to: &console)
        }
        console.flush()
    }

    private func failed(_ failure: HostFailure) -> ExitCode {
        StatusLine.say("tally: \(failure.reason)")
        return ExitCode(1)
    }
}
