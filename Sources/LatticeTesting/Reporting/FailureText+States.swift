// Messages about states that differ from the expected ones.
extension FailureText {
    /// The first sentence about a state that differs from the expected one.
    enum Mismatch: String {
        case otherState = "The state after this action is not the expected one:"
        case unexpectedChange = "This action changed the state, but no change was expected:"
        case absentChange = "This action left the state unchanged, but a change was expected:"
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

    /// Returns the message for a patch that does not lead to the new state.
    static func wrongPatch<Action, State>(to state: State, after action: Action, patched: State) -> String {
        paragraphs(
            """
            The patch of the state after this action leads to another state, so a receiver of the patch would have a \
            wrong state. Correct 'encodePatch(from:to:)' and 'apply(_:)' of \(State.self), or let @Patchable write them:
            """,
            Rendering.block(action),
            Rendering.difference(expected: state, actual: patched)
        )
    }

    /// Returns the message for a patch that cannot be created or applied.
    static func unusablePatch<Action, State>(of type: State.Type, after action: Action, _ error: any Error) -> String {
        let title = """
            The state after this action cannot be reached by a patch: \(error). Correct 'encodePatch(from:to:)' and \
            'apply(_:)' of \(type), or let @Patchable write them:
            """
        return paragraphs(title, Rendering.block(action))
    }

    static func emptyExpectation<Action>(_ action: Action) -> String {
        paragraphs(
            """
            This action left the state unchanged, and so does the closure that describes the expected change. Leave \
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
