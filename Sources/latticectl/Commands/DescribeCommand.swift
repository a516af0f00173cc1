import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// `latticectl describe`.
struct DescribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Shows what a running coordinator does.",
        discussion: """
            Without a section, it lists the sections, such as workers, instances and \
            clients, with the number of their rows. A section is a table. Fields that \
            do not fit into a line are named below it, and --full shows them.

            Examples:
              latticectl describe
              latticectl describe workers --sort residentBytes
              latticectl describe instances --coordinator tally --filter main --json

            Exit codes: 0 success, 1 no such coordinator or no answer, 2 the coordinator \
            refused, 64 wrong usage, also of a section or sort key.
            """
    )

    @Argument(help: "The section to show. (default: the list of all sections)")
    var section = ""

    @OptionGroup var selection: CoordinatorSelection

    @Option(help: "Show only the rows that contain this text.")
    var filter: String?

    @Option(help: "Rank the rows by a field. Texts ascend, and numbers descend.")
    var sort: String?

    @Flag(help: "Reverse the order.")
    var reverse = false

    @Option(help: "Show at most this many rows, 1 to 1000. (default: 100)")
    var limit: Int?

    @Option(help: "Leave out this many rows first.")
    var offset = 0

    @Flag(help: "Show all fields of each row.")
    var full = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard 1...1000 ~= limit ?? 1 else { throw ValidationError("--limit has to be 1 to 1000.") }
        guard 0...Int(UInt32.max) ~= offset else { throw ValidationError("--offset has to be 0 or more.") }
        guard filter != "", sort != "" else { throw ValidationError("--filter and --sort need a text.") }
    }

    func run() async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            let page = try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                try await control.describe(
                    section,
                    containing: filter,
                    sortedBy: sort,
                    reversed: reverse,
                    limit: limit,
                    offset: offset
                )
            }
            if json { return Console.put(page.json) }
            var text = DescriptionText(width: Terminal.width)
            text.isFull = full
            text.heading = Terminal.bold
            for line in text.lines(for: page) { Console.put(line) }
        }
    }
}
