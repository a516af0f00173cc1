package import ArgumentParser
package import LatticeCore
package import LatticeWorker

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension AsyncParsableCommand {
    /// Runs the program as a worker if a coordinator has started it, and otherwise as the command line says.
    ///
    /// - Parameters:
    ///   - feature: The feature that the worker hosts.
    ///   - say: Writes a line for the user.
    ///   - prepare: Prepares the worker: publishes its actors, and returns the dependencies of the feature.
    package static func main(
        asWorkerHosting feature: any HostedFeature.Type,
        say: (String) -> Void = { Console.error.say($0) },
        prepare: (Worker) throws -> HostDependencies = { _ in HostDependencies() }
    ) async {
        let name = configuration.commandName ?? "\(Self.self)"
        do {
            if let worker = Worker.launchedBySupervisor(hosting: feature) {
                return try await worker.run(dependencies: try prepare(worker))
            }
        } catch {
            say("\(name) worker: \(error)")
            exitProcess(1)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            exitProcess(code.rawValue)
        } catch let error as ProgramError {
            say("\(name): \(error)")
            exitProcess(ProgramError.exitCode)
        } catch {
            guard exitCode(for: error) != .success else {
                Console.output.say(fullMessage(for: error))
                exitProcess(0)
            }
            say("\(name): \(message(for: error)) (see \(name) --help)")
            exitProcess(ProgramError.exitCode)
        }
    }
}

/// Calls the system's `exit`. Inside a command, the name means the command's own function.
private func exitProcess(_ code: Int32) -> Never { exit(code) }
