import LatticeCore

extension TestViewModel {
    /// Sends an action as an event, and asserts what it does to the domain state.
    ///
    /// When this returns, the action is handled, and with it what it emitted synchronously, which is to be received;
    /// its performs have begun and its streams are observed. Nothing is waited for beyond that.
    ///
    /// - Parameter updateExpectedState: makes of the state before the action the one expected after it. Nil where the
    ///   action changes nothing.
    /// - Returns: what stands for the event and for everything that follows from it.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects run and of actions that are not received
    ///   yet, besides what the interactor does.
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
        // In this process it is there already.
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
