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
              latticectl describe workers --follow --interval 0.5

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

    @Flag(help: "Print one JSON object, or with --follow one in a line for each change.")
    var json = false

    @Flag(help: "Print each row that is new, has changed or is gone, until Control-C.")
    var follow = false

    @Option(help: "The seconds between two descriptions with --follow, 0.1 to 3600. (default: 1)")
    var interval: Double?

    @Option(help: "The bytes a second that --follow may cost, 1024 to 16777216. (default: 262144)")
    var budget: Int?

    func validate() throws {
        guard 1...1000 ~= limit ?? 1 else { throw ValidationError("--limit has to be 1 to 1000.") }
        guard 0...Int(UInt32.max) ~= offset else { throw ValidationError("--offset has to be 0 or more.") }
        guard SubscriptionBounds.seconds ~= interval ?? 1 else {
            throw ValidationError("--interval has to be 0.1 to 3600.")
        }
        guard SubscriptionBounds.bytesPerSecond ~= budget ?? 1024 else {
            throw ValidationError("--budget has to be 1024 to 16777216.")
        }
        guard follow || (interval == nil && budget == nil) else {
            throw ValidationError("--interval and --budget need --follow.")
        }
        guard filter != "", sort != "" else { throw ValidationError("--filter and --sort need a text.") }
    }

    func run() async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                if follow { return try await printChanges(control) }
                show(
                    try await control.describe(
                        section,
                        containing: filter,
                        sortedBy: sort,
                        reversed: reverse,
                        limit: limit,
                        offset: offset
                    )
                )
            }
        }
    }

    private func show(_ page: SectionDescription) {
        if json { return Console.put(page.json) }
        var text = DescriptionText(width: Terminal.width)
        text.isFull = full
        text.heading = Terminal.bold
        for line in text.lines(for: page) { Console.put(line) }
    }

    /// Prints the first page, and then the changes.
    private func printChanges(_ control: ControlClient) async throws {
        let pages = control.descriptions(
            of: section,
            containing: filter,
            sortedBy: sort,
            reversed: reverse,
            limit: limit,
            offset: offset,
            every: .seconds(interval ?? 1),
            within: budget.map { DescriptionBudget(bytesPerSecond: $0) } ?? DescriptionBudget()
        )
        var last: SectionDescription?
        for try await page in pages {
            if let last { show(RowChange.changes(from: last, to: page), of: page) } else { show(page) }
            last = page
        }
    }

    private func show(_ changes: [RowChange], of page: SectionDescription) {
        if page.folded > 0 {
            let intervals = page.folded == 1 ? "1 interval was" : "\(page.folded) intervals were"
            Console.put(json ? #"{"folded":\#(page.folded)}"# : "\(intervals) left out.")
        }
        let time = WallTime.now.local
        for change in changes {
            if json {
                Console.put(change.json)
                continue
            }
            let lines = change.lines(keys: page.keys)
            Console.put("\(time) \(lines[0])")
            for line in lines.dropFirst() { Console.put(line) }
        }
    }
}
