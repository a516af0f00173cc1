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
        paragraphs(
            mismatch.rawValue,
            Rendering.block(action),
            Rendering.difference(expected: expected, actual: actual)
        )
    }

    static func emptyExpectation<Action>(_ action: Action) -> String {
        """
        This action left the state as it was, and so does the closure that describes the expected change; leave the \
        closure out:

        \(Rendering.block(action))
        """
    }

    static func expectationThrew<Action>(_ error: any Error, _ action: Action) -> String {
        """
        The closure that describes the state after this action threw an error, \(error):

        \(Rendering.block(action))
        """
    }

    static func viewState<ViewState>(expected: ViewState, actual: ViewState) -> String {
        "The view state is not the expected one:\n\n\(Rendering.difference(expected: expected, actual: actual))"
    }
}
