import ArgumentParser
import LatticeControl
import LatticeToolSupport

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Prints the view state of a feature as JSON.",
        discussion: """
            The command is a client of the coordinator while it runs. Bytes are texts of \
            hexadecimal digits.

            Examples:
              latticectl state tally
              latticectl state todos --instance home --path 'todos[0].title'

            Exit codes: 0 success, 1 no such coordinator or no answer in time, 2 the \
            coordinator refused, 3 no such feature or path, 64 wrong usage.
            """
    )

    @OptionGroup var selection: FeatureSelection
    @OptionGroup var part: PathOption

    @Flag(help: "Print one JSON object in one line, with the revision.")
    var json = false

    func run() async throws {
        try await selection.open { feature in
            let state = try feature.state
            guard let value = part.path.value(in: state.value) else {
                throw ControlFailure("The state of \"\(selection.feature)\" has no part \(part.path).", code: 3)
            }
            guard json else { return Console.put(value.indentedJSON) }
            let fields: [String: DescriptionValue] = [
                "feature": .text(selection.feature), "instance": .text(selection.instance),
                "revision": DescriptionValue(state.revision), "path": .text("\(part.path)"), "value": value,
            ]
            Console.put(DescriptionValue.map(fields).json)
        }
    }
}

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints each change of a feature's view state, until Control-C.",
        discussion: """
            A change has the revision of the state, the IDs of the events that caused it, \
            and a line for each place that differs. latticectl describe events and the logs \
            have the same IDs. An effect can change the state without a new event. If \
            changes come faster than the terminal shows them, several are shown as one, with \
            the revision that was shown before. Only a process that may look into the \
            coordinator receives the IDs.

            Examples:
              latticectl watch tally
              latticectl watch todos --path todos --lines 5 --json

            Exit codes: 0 after --count changes, 1 no such coordinator, no answer in time, \
            or the coordinator has ended, 2 the coordinator refused, 3 no such feature, or \
            the instance was closed, 64 wrong usage.
            """
    )

    @OptionGroup var selection: FeatureSelection
    @OptionGroup var part: PathOption

    @Option(help: "Show at most this many lines of a change, 1 to 1000.")
    var lines = 20

    @Option(help: "End after this many changes. (default: never)")
    var count: Int?

    @Flag(help: "Print one JSON object in a line for each change.")
    var json = false

    func validate() throws {
        guard 1...1000 ~= lines else { throw ValidationError("--lines has to be 1 to 1000.") }
        guard count ?? 1 >= 1 else { throw ValidationError("--count has to be 1 or more.") }
    }

    func run() async throws {
        try await selection.open(showsCauses: true) { feature in
            var seen = try feature.state
            var shown = seen.revision
            if !json { Console.put("revision \(shown): watching from here") }
            var left = count ?? .max
            while left > 0, let state = try await feature.state(after: seen.revision) {
                let changes = state.changes(since: seen, at: part.path, maximumLines: lines)
                seen = state
                // Nothing differs in the part that the user watches.
                guard !changes.isEmpty || part.path.steps.isEmpty else { continue }
                show(state, after: shown, changes)
                shown = state.revision
                left -= 1
            }
        }
    }

    /// - Parameter shown: The revision that was printed before.
    private func show(_ state: FeatureState, after shown: UInt64, _ changes: [String]) {
        guard !json else {
            var fields: [String: DescriptionValue] = [
                "revision": DescriptionValue(state.revision), "previous": DescriptionValue(shown),
                "changes": .array(changes.map { .text($0) }),
            ]
            if let causes = state.causes {
                fields["causes"] = .array(
                    causes.events.map { event in
                        ["event": .text(event.id), "order": .init(event.order), "cause": .text(event.cause)]
                    }
                )
                fields["omittedCauses"] = .init(causes.omitted)
            }
            return Console.put(DescriptionValue.map(fields).json)
        }
        let folded = state.revision - shown > 1 ? " (all changes since revision \(shown))" : ""
        Console.put("revision \(state.revision)\(folded)")
        // They are not cut, because a part of an ID finds nothing.
        for line in state.causes?.lines ?? [] { Console.put("  \(line)") }
        for line in changes.isEmpty ? ["nothing differs"] : changes { Console.put("  \(cut(line))") }
    }

    /// Cuts a line that does not fit into the terminal.
    private func cut(_ line: String) -> String {
        guard let width = Terminal.width, line.count > width - 2 else { return line }
        return line.prefix(width - 3) + "…"
    }
}

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends an action to a feature, and waits until it has ended.",
        discussion: """
            The action is JSON with the shape of the feature's action: a case of an \
            enumeration is an object from its name to its values, which are called _0, _1 \
            and so on without labels. An action that does not fit is rejected with the \
            reason.

            Control-C cancels the event, and the command prints its outcome. A second \
            Control-C ends the command, and the event continues. latticectl cancel \
            cancels it from another terminal; latticectl describe events shows its ID.

            Examples:
              latticectl send todos '{"add":{"title":"Milk"}}'
              latticectl send tally '{"pause":{}}' --deadline 5

            Exit codes: 0 finished, 1 no such coordinator or no answer in time, 2 the \
            coordinator refused, 3 the event was rejected, or no such feature, 4 it failed, \
            was cancelled or interrupted, 5 it has not ended in time and continues, or its \
            outcome is unknown, 64 wrong usage.
            """
    )

    @OptionGroup var selection: FeatureSelection

    @Argument(help: "The action as JSON.")
    var action: String

    @Option(help: "The seconds after which the event is rejected or its effects are cancelled. (default: none)")
    var deadline: Double?

    @Option(help: "The seconds to wait for the outcome, 0.001 to 86400.")
    var wait = 60.0

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard 0.001...86_400 ~= deadline ?? 1 else { throw ValidationError("--deadline has to be 0.001 to 86400.") }
        guard 0.001...86_400 ~= wait else { throw ValidationError("--wait has to be 0.001 to 86400.") }
    }

    func run() async throws {
        try await selection.open { feature in
            let value = try DescriptionValue(json: action)
            let limit = deadline.map { Duration.seconds($0) }
            let message = "The event is being cancelled. Press Control-C again to leave it."
            let result = try await Interrupt.cancelling(saying: message) { [wait] in
                try await feature.send(value, deadline: limit, waitingAtMost: .seconds(wait))
            }
            show(result)
            let code: Int32 =
                switch result?.kind {
                case EventResult.Kind.finished?: 0
                case EventResult.Kind.rejected?: 3
                case EventResult.Kind.failed?, EventResult.Kind.cancelled?, EventResult.Kind.interrupted?: 4
                default: 5
                }
            if code != 0 { throw ExitCode(code) }
        }
    }

    private func show(_ result: EventResult?) {
        let kind = result?.kind.description ?? "running"
        let continues =
            "The event has not ended in time and continues. latticectl describe events shows its ID, and latticectl"
            + " cancel cancels it."
        let reason = result?.reason ?? continues
        if json {
            Console.put(DescriptionValue.map(["outcome": .text(kind), "reason": .text(reason)]).json)
        } else {
            Console.put(reason.isEmpty ? kind : "\(kind): \(DescriptionValue.printable(reason))")
        }
    }
}

extension StateCauses {
    /// A line for each event, and one if there are more or none.
    fileprivate var lines: [String] {
        let known = events.map { event in
            let cause = event.cause == "sent" ? "" : ", caused by \(event.cause)"
            return DescriptionValue.printable("event \(event.id), order \(event.order)\(cause)")
        }
        if omitted > 0 { return ["\(omitted) earlier event\(omitted == 1 ? "" : "s")"] + known }
        return known.isEmpty ? ["no new event"] : known
    }
}
