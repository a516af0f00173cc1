public import LatticeCore

extension TestViewModel {
    /// Waits for the next action that follows from the sent ones, and asserts which action it is and how it changes the
    /// domain state.
    ///
    /// With exhaustivity off, other actions before it are skipped.
    /// - Parameters:
    ///   - expectedAction: The expected action.
    ///   - timeout: The time to wait, in real time, or nil for the timeout of the view model. The function does not
    ///     wait if no effect is running.
    ///   - updateExpectedState: Changes the state before the action to the state that is expected after it. Pass nil if
    ///     the action changes nothing.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*n*), where *n* is the number of actions that wait to be received.
    public func receive(
        _ expectedAction: Action,
        timeout: Duration? = nil,
        assert updateExpectedState: ((_ state: inout DomainState) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: Equatable {
        let site = CallSite(fileID, file, line, column)
        await receive(.value(expectedAction), { $0 == expectedAction }, timeout, updateExpectedState, site)
    }

    /// Waits for the next action, and asserts that a predicate accepts it and how it changes the domain state.
    ///
    /// With `exhaustivity` off, it waits for the next action that the predicate accepts and skips the ones before it.
    /// - Parameters:
    ///   - isMatching: Returns whether an action is the expected one.
    ///   - timeout: The maximum time to wait, or nil for the `timeout` of the view model.
    ///   - updateExpectedState: Changes the state before the action to the expected one. Leave it out if nothing
    ///     changes.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*n*), where *n* is the number of actions that wait to be received.
    public func receive(
        _ isMatching: (_ action: Action) -> Bool,
        timeout: Duration? = nil,
        assert updateExpectedState: ((_ state: inout DomainState) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        await receive(.predicate, isMatching, timeout, updateExpectedState, site)
    }

    /// Waits for the next action, and asserts that it is of a case, with any payload, and how it changes the domain
    /// state.
    ///
    /// With `exhaustivity` off, it waits for the next action of that case and skips the ones before it.
    /// - Parameters:
    ///   - expectedCase: The case, such as `\.loaded`.
    ///   - timeout: The maximum time to wait, or nil for the `timeout` of the view model.
    ///   - updateExpectedState: Changes the state before the action to the expected one. Leave it out if nothing
    ///     changes.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*n*), where *n* is the number of actions that wait to be received.
    public func receive<Value>(
        _ expectedCase: CaseKeyPath<Action, Value>,
        timeout: Duration? = nil,
        assert updateExpectedState: ((_ state: inout DomainState) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async where Action: CasePathable {
        let site = CallSite(fileID, file, line, column)
        let path = AnyCasePath(expectedCase)
        await receive(.case(path.name), { path.extract(from: $0) != nil }, timeout, updateExpectedState, site)
    }

    private func receive(
        _ expected: FailureText.Expected<Action>,
        _ isMatching: (Action) -> Bool,
        _ timeout: Duration?,
        _ updateExpectedState: ((inout DomainState) throws -> Void)?,
        _ site: CallSite
    ) async {
        let timeout = timeout ?? self.timeout
        // Actions are received in order. With exhaustivity off, it is the first one that matches.
        func index() -> Int? {
            exhaustivity == .on ? received.indices.first : received.firstIndex { isMatching($0.action) }
        }
        _ = await changes.wait(timeout: timeout) { index() != nil || running.isEmpty }
        guard let index = index() else {
            let others = received.map(\.action)
            return site.fail(FailureText.missing(expected, timeout, running: running.map(\.action), others: others))
        }
        let snapshot = take(index, at: site, complaint: FailureText.skipped)
        if isMatching(snapshot.action) {
            check(snapshot, updateExpectedState, at: site)
        } else {
            site.fail(FailureText.other(expected, actual: snapshot.action))
            // The closure describes the change of another action, so it is not compared.
            commit(snapshot)
        }
        await untilEffectsWork()
    }
}
