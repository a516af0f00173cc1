import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// `latticectl tail`.
struct TailCommand: AsyncParsableCommand {
    /// The pause between two requests for new records. A line appears without a noticeable delay, and an idle
    /// coordinator is asked five times a second.
    private static let pause: Duration = .milliseconds(200)
    /// The number of records of a request, which is the maximum of a coordinator.
    private static let pageSize = 1000

    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Shows the log of a coordinator and its workers as it is written.",
        discussion: """
            The log has what the coordinator reports, what its workers log and print, and \
            their crash reports. First come the newest records that the coordinator \
            still has, and then each new one, until you press Ctrl-C.

            Examples:
              latticectl tail
              latticectl tail --level warning --worker uploads --lines 100
              latticectl tail --id tally/6f1c…/1/7 --no-follow
              latticectl tail --json | jq .message

            Exit codes: 0 success, 1 no such coordinator, or it has ended, 2 the coordinator \
            refused, 64 wrong usage.
            """
    )

    @OptionGroup var selection: CoordinatorSelection

    @Option(help: "Show only records of this level or above: \(LogFilter.levels.joined(separator: ", ")).")
    var level: String?

    @Option(help: "Show only records about the event with this ID, as describe events and the log print it.")
    var id: String?

    @Option(
        help: "Show only records about this feature or its events. For all lines of its worker, use --worker."
    )
    var feature: String?

    @Option(help: "Show only records of this worker, process ID or group.")
    var worker: String?

    @Option(name: [.short, .long], help: "Show at most this many earlier records, 0 to \(LogTail.maximumLines).")
    var lines = 10

    @Flag(inversion: .prefixedNo, help: "Wait for new records.")
    var follow = true

    @Flag(help: "Print one JSON object in a line for each record.")
    var json = false

    func validate() throws {
        guard 0...LogTail.maximumLines ~= lines else {
            throw ValidationError("--lines has to be 0 to \(LogTail.maximumLines).")
        }
        if let level, !LogFilter.levels.contains(level) {
            let levels = LogFilter.levels.joined(separator: ", ")
            throw ValidationError("\"\(level)\" is no level. Choose one of \(levels).")
        }
        guard id != "", feature != "", worker != "" else {
            throw ValidationError("--id, --feature and --worker need a text.")
        }
    }

    func run() async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                var tail = LogTail(
                    LogFilter(level: level, event: id, feature: feature, worker: worker),
                    lines: lines
                )
                while true {
                    let page = try await Self.page(of: control, after: tail.last)
                    let (items, next) = tail.receive(
                        LogTail.Page(rows: page.rows, total: page.total, receivedAt: WallTime.now.milliseconds)
                    )
                    for item in items { show(item) }
                    if tail.isFollowing, !follow { return }
                    if next == .later { try await Task.sleep(for: Self.pause) }
                }
            }
        }
    }

    private static func page(of control: ControlClient, after last: UInt64) async throws -> SectionDescription {
        do {
            return try await control.describe("log", limit: pageSize, after: last)
        } catch let error as ControlError where error.code == .unknownSection {
            throw ControlFailure(
                "The coordinator at \"\(control.socketPath)\" keeps no log for tools, because its program has an older"
                    + " version of Lattice. Build it from the same source as this tool.",
                code: 1
            )
        }
    }

    private func show(_ item: LogTail.Item) {
        switch item {
        case .missing(let count):
            Console.put(json ? LogTail.json(missing: count) : LogTail.sentence(missing: count))
        case .record(let record):
            let time = WallTime(milliseconds: record.time)
            if json { return Console.put(record.json(at: time.utc)) }
            let lines = record.lines
            // The level is also a word of the line.
            let isSevere = ["warning", "error", "critical"].contains(record.level)
            let first = "\(time.local) \(lines[0])"
            Console.put(isSevere ? Terminal.bold(first) : first)
            for line in lines.dropFirst() { Console.put(line) }
        }
    }
}
