package import ArgumentParser
import ExampleSupport

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
        await main(asWorkerHosting: TallyFeature.self, say: StatusLine.say)
    }
}
