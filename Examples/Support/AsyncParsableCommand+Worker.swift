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
    /// The program: a worker if a coordinator started it, else what the command line says.
    ///
    /// - Parameters:
    ///   - say: Writes a line for people.
    ///   - prepare: Makes the worker ready to run: publishes its actors, and gives what the feature uses.
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

/// The system's `exit`, which a command has one of its own instead of.
private func exitProcess(_ code: Int32) -> Never { exit(code) }
