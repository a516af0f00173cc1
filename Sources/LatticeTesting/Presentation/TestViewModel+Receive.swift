public import LatticeCore

extension TestViewModel {
    /// Waits for the next action that follows from those sent, and asserts that it is this one and what it does to the
    /// domain state.
    ///
    /// With exhaustivity off, other actions before it are skipped.
    /// - Parameters:
    ///   - timeout: how long to wait, in real time; nil for the view model's. Nothing is waited for where no effect
    ///     runs.
    ///   - updateExpectedState: makes of the state before the action the one expected after it. Nil where the action
    ///     changes nothing.
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

    /// The same for an action that a predicate accepts.
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

    /// The same for an action of a case, whatever its payload: `receive(\.loaded)`.
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
        // In order, or with exhaustivity off the first that fits.
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
            // What is described belongs to another action.
            commit(snapshot)
        }
        await untilEffectsWork()
    }
}
