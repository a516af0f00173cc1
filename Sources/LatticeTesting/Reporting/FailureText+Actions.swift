import LatticeCore

// Messages about actions that were received but not asserted, or expected but not received.
extension FailureText {
    /// The action that a test expects to receive.
    enum Expected<Action> {
        case value(Action)
        case predicate
        /// An action of a case with this name.
        case `case`(String)
    }

    static let nothingReceived = "There are no received actions to skip."

    static func unasserted<Action>(_ actions: [Action], _ when: String) -> String {
        paragraphs(
            "\(received(actions)) not asserted \(when):",
            Rendering.blocks(actions),
            "Assert each with `receive`, or skip what does not matter with `skipReceivedActions()`."
        )
    }

    static func unasserted<Action>(_ actions: [Action], before next: Action) -> String {
        paragraphs(unasserted(actions, "before the next one was sent"), "The next action is:", Rendering.block(next))
    }

    static func skipped<Action>(_ actions: [Action]) -> String {
        "\(received(actions)) skipped:\n\n\(Rendering.blocks(actions))"
    }

    private static func received<Action>(_ actions: [Action]) -> String {
        actions.count == 1 ? "1 received action was" : "\(actions.count) received actions were"
    }

    /// Returns the message for an expected action that was not received.
    static func missing<Action>(
        _ expected: Expected<Action>,
        _ timeout: Duration,
        running: [Action],
        others: [Action]
    ) -> String {
        let why = running.isEmpty ? "none will come, because no effect is running" : "none came within \(timeout)"
        let title =
            switch expected {
            case .value(let action): "This action was expected, and \(why):\n\n\(Rendering.block(action))"
            case .predicate: "An action that the predicate accepts was expected, and \(why)."
            case .case(let name): "An action of the case '\(name)' was expected, and \(why)."
            }
        return paragraphs(
            title,
            others.isEmpty ? nil : "Received instead:\n\n\(Rendering.blocks(others))",
            running.isEmpty ? nil : self.running(running, "are running", .viewModel)
        )
    }

    /// Returns the message for an action that differs from the expected one.
    static func other<Action>(_ expected: Expected<Action>, actual: Action) -> String {
        switch expected {
        case .value(let action):
            paragraphs(
                "The received action is not the expected one:",
                Rendering.difference(expected: action, actual: actual)
            )
        case .predicate:
            "The received action is not one that the predicate accepts:\n\n\(Rendering.block(actual))"
        case .case(let name):
            "The received action is not of the expected case '\(name)':\n\n\(Rendering.block(actual))"
        }
    }

    /// Returns the message for a sent action that was not handled.
    static func unhandled<Action>(_ action: Action, outcome: EventOutcome?, _ timeout: Duration) -> String {
        let why = outcome.map { "It was \($0)." } ?? "There was no answer within \(timeout)."
        return "This action was sent but not handled. \(why)\n\n\(Rendering.block(action))"
    }
}
