/// What the failures of the kit say.
enum FailureText {
    // MARK: - Histories; nil where there is nothing to complain about

    static func states<State: Equatable>(expected: [State], actual: [State]) -> String? {
        difference(expected, actual, "The history of states is not the expected one:")
    }

    static func latestState<State: Equatable>(expected: State, actual: State?) -> String? {
        difference(Optional(expected), actual, "The newest state is not the expected one:")
    }

    static func actions<Action: Equatable>(expected: [Action], actual: [Action]) -> String? {
        difference(expected, actual, "The history of actions is not the expected one:")
    }

    private static func difference<Value: Equatable>(_ expected: Value, _ actual: Value, _ title: String) -> String? {
        expected == actual ? nil : "\(title)\n\n\(Rendering.difference(expected: expected, actual: actual))"
    }

    // MARK: - Effects that go on

    /// What can be done about effects that go on.
    enum Advice: String {
        case harness = """
            If one waits for a clock, advance the test clock; if it is to go on until the end, cancel the task that \
            `send` returned; if it only takes long, give `finish` a longer timeout.
            """
        case viewModel = """
            If one waits for a clock, advance the test clock; if it is to go on until the end, cancel the task that \
            `send` returned, or all effects with `skipInFlightEffects()`; if it only takes long, wait with a longer \
            timeout.
            """
    }

    static func running<Action>(_ sent: [Action], _ how: String, _ advice: Advice?) -> String {
        paragraphs(
            """
            Effects \(how), of \(sent.count == 1 ? "this action that was" : "these actions that were") sent:

            \(Rendering.blocks(sent))
            """,
            advice?.rawValue
        )
    }

    static let nothingRunning = "There are no effects to skip: none is running."

    static func paragraphs(_ paragraphs: String?...) -> String {
        paragraphs.compactMap(\.self).joined(separator: "\n\n")
    }
}
