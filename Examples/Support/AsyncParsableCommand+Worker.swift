package import ArgumentParser
import Glibc
package import LatticeCore
import LatticeWorker

extension AsyncParsableCommand {
    /// The program: a worker if a coordinator started it, else what the command line says.
    ///
    /// - Parameter say: Writes a line for people.
    package static func main(
        asWorkerHosting feature: any HostedFeature.Type,
        say: (String) -> Void = { Console.error.say($0) }
    ) async {
        let name = configuration.commandName ?? "\(Self.self)"
        do {
            if let worker = Worker.launchedBySupervisor(hosting: feature) { return try await worker.run() }
        } catch {
            say("\(name) worker: \(error)")
            Glibc.exit(1)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch let error as ProgramError {
            say("\(name): \(error)")
            Glibc.exit(ProgramError.exitCode)
        } catch {
            guard exitCode(for: error) != .success else {
                Console.output.say(fullMessage(for: error))
                Glibc.exit(0)
            }
            say("\(name): \(message(for: error)) (see \(name) --help)")
            Glibc.exit(ProgramError.exitCode)
        }
    }
}
