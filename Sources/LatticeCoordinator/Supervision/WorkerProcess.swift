import LatticeCore
import LatticeSession
import LatticeTransport
import Logging
import Subprocess
import SystemPackage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Starts one worker process, reads its output, and waits for its end. The one place that knows swift-subprocess.
struct WorkerProcess: Sendable {
    let executable: String
    let arguments: [String]
    let environment: [String: String]
    let teardownLimit: Duration
    let logger: Logger

    /// Runs the worker until it has ended and is gone from the process table.
    ///
    /// - Parameters:
    ///   - socket: Becomes the worker's standard input; closed here once the worker has it.
    ///   - onStart: Told the process identifier.
    ///   - stop: When fulfilled, the worker has `teardownLimit` to leave by itself, then gets SIGTERM, then SIGKILL,
    ///     each for its whole process group. Cancelling the calling task does the same without the first wait.
    /// - Throws: When the process cannot be started.
    func run(
        socket: OwnedDescriptor,
        launch: LaunchVariable,
        stop: Promise<Void>,
        onStart: @escaping @Sendable (Int32) -> Void
    ) async throws -> Interruption.Cause {
        var options = PlatformOptions()
        // A group of its own: Ctrl-C in the terminal is for the coordinator, and what the worker starts goes with it.
        options.processGroupID = 0
        options.teardownSequence = [steps]
        let result = try await Subprocess.run(
            .path(FilePath(executable)),
            arguments: Arguments(executablePathOverride: nil, remainingValues: arguments),
            environment: variables(launch),
            platformOptions: options,
            input: .fileDescriptor(FileDescriptor(rawValue: socket.take()), closeAfterSpawningProcess: true),
            output: .sequence,
            error: .sequence
        ) { execution in
            let process = execution.processIdentifier.value
            onStart(process)
            var logger = logger
            logger[metadataKey: "worker"] = "\(process)"
            logger[metadataKey: "incarnation"] = "\(launch.incarnation)"
            await withTaskGroup(of: Void.self) { [logger] group in
                group.addTask { await log(execution.standardOutput, at: .info, logger) }
                group.addTask { await log(execution.standardError, at: .notice, logger) }
                let teardown = Task {
                    guard (try? await stop.value) != nil else { return }
                    // Cancelled as soon as the output has ended, which a worker that leaves by itself brings about.
                    guard (try? await Task.sleep(for: teardownLimit)) != nil else { return }
                    await execution.teardown(using: [steps])
                }
                await group.waitForAll()
                teardown.cancel()
            }
        }
        return switch result.terminationStatus {
        case .exited(let code): .exit(code: code)
        case .signaled(let signal): .signal(signal)
        }
    }

    private func variables(_ launch: LaunchVariable) -> Environment {
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in environment { variables[.init(stringLiteral: name)] = value }
        variables[.init(stringLiteral: LaunchVariable.name)] = launch.text
        return .inherit.updating(variables)
    }

    private var steps: TeardownStep {
        .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: teardownLimit)
    }

    private func log(_ output: SubprocessOutputSequence, at level: Logger.Level, _ logger: Logger) async {
        var lines = LineSplitter()
        do {
            for try await buffer in output {
                buffer.withUnsafeBytes { bytes in lines.feed(bytes) { logger.log(level: level, "\($0)") } }
            }
        } catch {
            logger.warning("the worker's output cannot be read: \(error)")
        }
        lines.end { logger.log(level: level, "\($0)") }
    }
}
