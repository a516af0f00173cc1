/// What the failures of the kit say. Nil where there is nothing to complain about.
enum FailureText {
    // MARK: - Histories

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
    }

    static func running<Action>(_ sent: [Action], _ how: String, advice: Advice) -> String {
        """
        Effects \(how), of \(sent.count == 1 ? "this action" : "these actions") that \
        \(sent.count == 1 ? "was" : "were") sent:

        \(Rendering.blocks(sent))

        \(advice.rawValue)
        """
    }
}
