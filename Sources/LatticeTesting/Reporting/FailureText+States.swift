// States that are not what the test says.
extension FailureText {
    /// How a state differs from the expected one.
    enum Mismatch: String {
        case otherState = "The state after this action is not the expected one:"
        case unexpectedChange = "This action changed the state, and no change was expected:"
        case absentChange = "This action left the state as it was, and a change was expected:"
        case skippedChange = "This action changed more of the state than was asserted:"
    }

    static func mismatch<Action, State>(
        _ mismatch: Mismatch,
        _ action: Action,
        expected: State,
        actual: State
    ) -> String {
        let difference = Rendering.difference(expected: expected, actual: actual)
        return paragraphs(mismatch.rawValue, Rendering.block(action), difference)
    }

    static func emptyExpectation<Action>(_ action: Action) -> String {
        paragraphs(
            """
            This action left the state as it was, and so does the closure that describes the expected change; leave \
            the closure out:
            """,
            Rendering.block(action)
        )
    }

    static func expectationThrew<Action>(_ error: any Error, _ action: Action) -> String {
        let title = "The closure that describes the state after this action threw an error, \(error):"
        return paragraphs(title, Rendering.block(action))
    }
}
