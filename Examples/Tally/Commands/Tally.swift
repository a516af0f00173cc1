package import ArgumentParser
import ExampleSupport

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
package struct Tally: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tally",
        abstract: "Counts lines, words and bytes of every regular file below a path, in a worker.",
        discussion: """
            Example: tally . --json

            You can kill the worker at any time. Another one continues where it was. `tally \
            attach` shows the progress in another terminal.

            Exit codes: 0 all files were counted, 1 some files could not be read or the tally \
            was cancelled, 2 wrong usage, 130, 143 and 129 ended by SIGINT, SIGTERM and \
            SIGHUP.
            """,
        subcommands: [CountCommand.self, AttachCommand.self],
        defaultSubcommand: CountCommand.self
    )

    /// Creates the command.
    package init() {}

    /// Runs the program, as a worker or as a command.
    package static func main() async {
        await main(asWorkerHosting: TallyFeature.self, say: StatusLine.say)
    }
}
