import LatticeCore

// Actions that were received and not asserted, or expected and not received.
extension FailureText {
    /// What a test expects to receive.
    enum Expected<Action> {
        case value(Action)
        case predicate
        /// A case of the action, by its name.
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
        paragraphs(unasserted(actions, "before the next one was sent"), "Sent was:", Rendering.block(next))
    }

    static func skipped<Action>(_ actions: [Action]) -> String {
        "\(received(actions)) skipped:\n\n\(Rendering.blocks(actions))"
    }

    private static func received<Action>(_ actions: [Action]) -> String {
        actions.count == 1 ? "1 received action was" : "\(actions.count) received actions were"
    }

    /// The expected action did not come.
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

    /// Another action came than the expected one.
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

    /// A sent action was not handled.
    static func unhandled<Action>(_ action: Action, outcome: EventOutcome?, _ timeout: Duration) -> String {
        let why = outcome.map { "it was \($0)" } ?? "there was no answer within \(timeout)"
        return "This action was sent and not handled, \(why):\n\n\(Rendering.block(action))"
    }
}
