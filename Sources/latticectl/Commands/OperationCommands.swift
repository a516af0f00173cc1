import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// The options of a command that acts on a coordinator.
struct OperationOptions: ParsableArguments {
    @OptionGroup var selection: CoordinatorSelection

    @Flag(help: "Print one JSON object with what was done.")
    var json = false

    /// The exit codes of a command that acts, for its help.
    static let exitCodes = """
        Exit codes: 0 done, 1 no such coordinator or no answer in time, 2 the coordinator \
        refused, 3 nothing was done, because the subject does not exist or is in another \
        state, 64 wrong usage.
        """

    /// Asks the chosen coordinator for an act, and prints the result.
    ///
    /// - Parameters:
    ///   - act: The name of the act.
    ///   - arguments: Its arguments.
    ///   - extra: The time that the act itself may take, in addition to the time to wait for an answer.
    func perform(_ act: String, _ arguments: [String: DescriptionValue], taking extra: Duration = .zero) async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            let result = try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                try await control.operate(act, arguments, timeout: selection.patience + extra)
            }
            guard json else { return Console.put(DescriptionValue.printable(result.message)) }
            let rows = DescriptionValue.array(result.rows.map { .map($0) })
            Console.put(DescriptionValue.map(["message": .text(result.message), "rows": rows]).json)
        }
    }
}

/// The maximum time for which the coordinator waits for the end of a worker after the time to drain, before it answers.
private let maximumEnd = Duration.seconds(15)

struct RestartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Ends a worker, or all workers of a group, and starts them again.",
        discussion: """
            What runs in the worker is interrupted, as after a crash. Events that wait are \
            sent to the next incarnation. The end does not count against the restart limit. \
            A worker that was given up is started again. A worker that has not ended after \
            15 seconds counts as not restarted; the order stays in force.

            Example: latticectl restart uploads

            \(OperationOptions.exitCodes)
            """
    )

    @Argument(help: "The worker, its process ID, or the group. latticectl describe workers lists them.")
    var target: String

    @OptionGroup var options: OperationOptions

    func run() async throws {
        try await options.perform("restart", ["target": .text(target)], taking: maximumEnd)
    }
}

struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Restarts a worker, or all workers of a group, after what runs has ended.",
        discussion: """
            New events wait for the next incarnation, and new calls go to other workers. \
            What has not ended in time is interrupted.

            Example: latticectl drain uploads --within 60

            \(OperationOptions.exitCodes)
            """
    )

    @Argument(help: "The worker, its process ID, or the group. latticectl describe workers lists them.")
    var target: String

    @Option(help: "The seconds that running work gets, 0.001 to 3600. (default: the coordinator's drainTimeout)")
    var within: Double?

    @OptionGroup var options: OperationOptions

    func validate() throws {
        guard 0.001...3600 ~= within ?? 1 else { throw ValidationError("--within has to be 0.001 to 3600.") }
    }

    func run() async throws {
        var arguments: [String: DescriptionValue] = ["target": .text(target)]
        arguments["timeoutMilliseconds"] = within.map { DescriptionValue(Int($0 * 1000)) }
        // Without --within, only the coordinator knows the time. An hour is its maximum.
        try await options.perform("drain", arguments, taking: .seconds(within ?? 3600) + maximumEnd)
    }
}

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels an event of a client.",
        discussion: """
            The sender of the event gets the outcome "cancelled", which names this tool and \
            the reason. The command does not wait for that. If the event has ended before, \
            nothing is done, and the message says so.

            Example: latticectl describe events --json, then latticectl cancel \
            tally/0123456789abcdef0123456789abcdef/1/17 --reason "too slow"

            \(OperationOptions.exitCodes)
            """
    )

    @Argument(help: "The ID of the event. latticectl describe events lists them in the field event.")
    var event: String

    @Option(help: "The reason in words. The sender of the event finds it in the outcome.")
    var reason: String?

    @OptionGroup var options: OperationOptions

    func validate() throws {
        guard reason != "" else { throw ValidationError("--reason needs a text.") }
    }

    func run() async throws {
        var arguments: [String: DescriptionValue] = ["event": .text(event)]
        arguments["reason"] = reason.map { .text($0) }
        try await options.perform("cancel", arguments)
    }
}

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Shows the events that ended their worker twice, sends them again, or drops them.",
        subcommands: [List.self, Retry.self, Drop.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the events in quarantine.",
            discussion: """
                Example: latticectl quarantine list --json

                Exit codes: 0 success, also if there are none, 1 no such coordinator or no \
                answer, 2 the coordinator refused, 64 wrong usage.
                """
        )

        @OptionGroup var selection: CoordinatorSelection

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            try await ControlFailure.reporting {
                let path = try await selection.path()
                let page = try await withControlClient(connectingTo: path, timeout: selection.patience) { control in
                    try await control.describe("quarantine", limit: 1000)
                }
                if json { return Console.put(page.json) }
                guard !page.rows.isEmpty else { return Console.put("No event is in quarantine.") }
                var text = DescriptionText(width: Terminal.width)
                text.heading = Terminal.bold
                for line in text.lines(for: page) { Console.put(line) }
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a quarantined event again.",
            discussion: """
                If the event ends its worker again, it comes back into quarantine.

                Example: latticectl quarantine retry 3

                \(OperationOptions.exitCodes)
                """
        )

        @Argument(help: "The number of the event: the field id of latticectl quarantine list.")
        var id: Int

        @OptionGroup var options: OperationOptions

        func run() async throws { try await options.perform("retry", ["id": DescriptionValue(id)]) }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an event from quarantine without sending it.",
            discussion: """
                Example: latticectl quarantine drop 3

                \(OperationOptions.exitCodes)
                """
        )

        @Argument(help: "The number of the event: the field id of latticectl quarantine list.")
        var id: Int

        @OptionGroup var options: OperationOptions

        func run() async throws { try await options.perform("drop", ["id": DescriptionValue(id)]) }
    }
}
