import LatticeCore

// Each assertion in two forms: `assert…` throws, which ends the test; `expect…` fails it where it stands, and it goes
// on.
extension InteractorTestHarness {
    /// - Throws: ``AssertionError`` if the history of states is another one.
    /// - Complexity: O(*n*), where *n* is the number of states.
    public func assertStates(
        _ expected: [State],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where State: Equatable {
        try check(FailureText.other(.states, expected: expected, actual: states), file, line)
    }

    /// - Throws: ``AssertionError`` if the newest state is another one.
    public func assertLatestState(
        _ expected: State,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where State: Equatable {
        try check(FailureText.other(.latestState, expected: expected, actual: states.last), file, line)
    }

    /// - Throws: ``AssertionError`` if the history of actions is another one.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    public func assertActions(
        _ expected: [Action],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where Action: Equatable {
        try check(FailureText.other(.actions, expected: expected, actual: receivedActions), file, line)
    }

    /// Fails the test if the history of states is another one.
    /// - Complexity: O(*n*), where *n* is the number of states.
    public func expectStates(
        _ expected: [State],
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where State: Equatable {
        FailureText.other(.states, expected: expected, actual: states)
            .map(CallSite(fileID, file, line, column).fail)
    }

    /// Fails the test if the newest state is another one.
    public func expectLatestState(
        _ expected: State,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where State: Equatable {
        FailureText.other(.latestState, expected: expected, actual: states.last)
            .map(CallSite(fileID, file, line, column).fail)
    }

    /// Fails the test if the history of actions is another one.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    public func expectActions(
        _ expected: [Action],
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where Action: Equatable {
        FailureText.other(.actions, expected: expected, actual: receivedActions)
            .map(CallSite(fileID, file, line, column).fail)
    }

    private func check(_ failure: String?, _ file: StaticString, _ line: UInt) throws {
        if let failure { throw AssertionError(message: failure, file: file, line: line) }
    }
}
