package import ArgumentParser
import Glibc
import LatticeWorker

/// The program: a worker if a coordinator started it, else what the command line says.
package struct Tally: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tally",
        abstract: "Counts lines, words and bytes of every regular file below a path, in a worker process.",
        discussion: """
            The worker may be killed at any moment: another one goes on where it was. \
            `tally attach` shows the same progress in another terminal.

            Exit: 0 all counted, 1 some files could not be read or the tally was cancelled, 2 wrong use, \
            130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP.
            """,
        subcommands: [CountCommand.self, AttachCommand.self],
        defaultSubcommand: CountCommand.self
    )

    package init() {}

    package static func main() async {
        do {
            if let worker = Worker.launchedBySupervisor(hosting: TallyFeature.self) {
                try await worker.run()
                return
            }
        } catch {
            StatusLine.say("tally worker: \(error)")
            Glibc.exit(1)
        }
        await runCommand()
    }

    private static func runCommand() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch let error as TallyError {
            StatusLine.say("tally: \(error)")
            Glibc.exit(TallyError.exitCode)
        } catch {
            guard exitCode(for: error) != .success else {
                print(fullMessage(for: error))
                Glibc.exit(0)
            }
            StatusLine.say("tally: \(message(for: error)) (see tally --help)")
            Glibc.exit(TallyError.exitCode)
        }
    }
}
