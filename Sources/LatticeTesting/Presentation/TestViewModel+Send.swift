import LatticeCore

extension TestViewModel {
    /// Sends an action as an event, and asserts how it changes the domain state.
    ///
    /// When the function returns, the action has been handled, its performs have begun, and its streams are observed.
    /// The function waits for nothing else. Actions that it emitted synchronously have been handled as well, and the
    /// test has to receive them.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - updateExpectedState: Changes the state before the action to the state that is expected after it. Pass nil if
    ///     the action changes nothing.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Returns: A handle for the event and everything that follows from it.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects are running plus the number of actions
    ///   that are not received yet, in addition to the work of the interactor.
    @discardableResult
    public func send(
        _ action: Action,
        assert updateExpectedState: ((_ state: inout DomainState) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestEventTask {
        let site = CallSite(fileID, file, line, column)
        let (event, task) = begin(action)
        let handle = TestEventTask(task, action, of: self)
        // In this process the action has been handled already.
        if index(ofSent: event) == nil {
            _ = await changes.wait(timeout: timeout) { index(ofSent: event) != nil || task.outcome != nil }
        }
        guard let index = index(ofSent: event) else {
            site.fail(FailureText.unhandled(action, outcome: task.outcome, timeout))
            return handle
        }
        let snapshot = take(index, at: site) { FailureText.unasserted($0, before: action) }
        check(snapshot, updateExpectedState, at: site)
        await untilEffectsWork()
        return handle
    }

    private func index(ofSent event: Int) -> Int? {
        received.firstIndex { $0.handled.isSent && $0.handled.event == event }
    }
}
