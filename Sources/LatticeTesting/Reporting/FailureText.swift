/// What the failures of the kit say.
enum FailureText {
    /// What is compared as a whole.
    enum Subject: String {
        case states = "The history of states"
        case latestState = "The newest state"
        case actions = "The history of actions"
        case viewState = "The view state"
    }

    /// - Returns: nil where there is nothing to complain about.
    static func other<Value: Equatable>(_ subject: Subject, expected: Value, actual: Value) -> String? {
        guard expected != actual else { return nil }
        let title = "\(subject.rawValue) is not the expected one:"
        return paragraphs(title, Rendering.difference(expected: expected, actual: actual))
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
        let actions = sent.count == 1 ? "this action that was" : "these actions that were"
        return paragraphs("Effects \(how), of \(actions) sent:", Rendering.blocks(sent), advice?.rawValue)
    }

    static let nothingRunning = "There are no effects to skip: none is running."

    static func paragraphs(_ paragraphs: String?...) -> String {
        paragraphs.compactMap(\.self).joined(separator: "\n\n")
    }
}
