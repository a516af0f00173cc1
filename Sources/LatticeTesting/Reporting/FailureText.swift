/// The messages of the test kit's failures.
enum FailureText {
    /// A value that is compared as a whole.
    enum Subject: String {
        case states = "The history of states"
        case latestState = "The newest state"
        case actions = "The history of actions"
        case viewState = "The view state"
    }

    /// Returns the message for a value that differs from the expected one, or nil if they are equal.
    static func other<Value: Equatable>(_ subject: Subject, expected: Value, actual: Value) -> String? {
        guard expected != actual else { return nil }
        let title = "\(subject.rawValue) is not the expected one:"
        return paragraphs(title, Rendering.difference(expected: expected, actual: actual))
    }

    // MARK: - Running effects

    /// Advice on what to do about running effects.
    enum Advice: String {
        case harness = """
            If an effect waits for a clock, advance the test clock. If it should run until the end of the test, cancel \
            the task that `send` returned. If it only takes long, give `finish` a longer timeout.
            """
        case viewModel = """
            If an effect waits for a clock, advance the test clock. If it should run until the end of the test, cancel \
            the task that `send` returned, or cancel all effects with `skipInFlightEffects()`. If it only takes long, \
            wait with a longer timeout.
            """
    }

    static func running<Action>(_ sent: [Action], _ how: String, _ advice: Advice?) -> String {
        let actions = sent.count == 1 ? "this action" : "these actions"
        return paragraphs("Effects of \(actions) \(how):", Rendering.blocks(sent), advice?.rawValue)
    }

    static let nothingRunning = "There are no effects to skip, because none is running."

    static func paragraphs(_ paragraphs: String?...) -> String {
        paragraphs.compactMap(\.self).joined(separator: "\n\n")
    }
}
