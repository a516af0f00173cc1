import LatticeCore

// Each assertion has two forms. The `assert…` form throws an error, which ends the test. The `expect…` form reports a
// failure at its line, and the test continues.
extension InteractorTestHarness {
    /// Checks the history of states.
    ///
    /// - Throws: ``AssertionError`` if the history differs from `expected`.
    /// - Complexity: O(*n*), where *n* is the number of states.
    public func assertStates(
        _ expected: [State],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where State: Equatable {
        try check(FailureText.other(.states, expected: expected, actual: states), file, line)
    }

    /// Checks the newest state.
    ///
    /// - Throws: ``AssertionError`` if the newest state differs from `expected`.
    public func assertLatestState(
        _ expected: State,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where State: Equatable {
        try check(FailureText.other(.latestState, expected: expected, actual: states.last), file, line)
    }

    /// Checks the history of actions.
    ///
    /// - Throws: ``AssertionError`` if the history differs from `expected`.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    public func assertActions(
        _ expected: [Action],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws where Action: Equatable {
        try check(FailureText.other(.actions, expected: expected, actual: receivedActions), file, line)
    }

    /// Fails the test if the history of states differs from `expected`.
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

    /// Fails the test if the newest state differs from `expected`.
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

    /// Fails the test if the history of actions differs from `expected`.
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
