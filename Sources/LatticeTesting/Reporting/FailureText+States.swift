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

    /// A state is not what its change makes of the state before it.
    static func wrongPatch<Action, State>(to state: State, after action: Action, patched: State) -> String {
        paragraphs(
            """
            The patch of the state after this action leads to another state, which whoever receives the patch would go \
            on with. Correct 'encodePatch(from:to:)' and 'apply(_:)' of \(State.self), or let @Patchable write them:
            """,
            Rendering.block(action),
            Rendering.difference(expected: state, actual: patched)
        )
    }

    /// A change of a state cannot be made, or not be applied.
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
