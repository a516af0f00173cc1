import LatticeCore

extension TestViewModel {
    /// Waits until all effects have ended, and checks that no received action is left.
    ///
    /// Call it at the end of a test. Effects that are still running after `timeout` of real time, and actions that were
    /// not received, fail the test. With exhaustivity off they are skipped.
    /// - Complexity: O(*n*) for each change, where *n* is the number of events whose effects are running.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        let timeout = timeout ?? self.timeout
        let waiting = await changes.wait(timeout: timeout) { running.isEmpty }
        if waiting == .timedOut {
            let actions = running.map(\.action)
            complain(FailureText.running(actions, "are still running after \(timeout)", .viewModel), at: site)
            markRunningAsReported()
        }
        if !received.isEmpty {
            complain(FailureText.unasserted(received.map(\.action), "at the end"), at: site)
            skipReceived()
        }
    }

    /// Skips all received actions. The domain state and the view state become those of the newest action.
    /// - Parameters:
    ///   - strict: Whether the test fails if there are no received actions.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    public func skipReceivedActions(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        // Actions that are on their way to the main actor are included.
        await Task.megaYield()
        guard !received.isEmpty else {
            if strict { site.fail(FailureText.nothingReceived) }
            return
        }
        if case .off(showSkippedAssertions: true) = exhaustivity {
            site.note(FailureText.skipped(received.map(\.action)))
        }
        skipReceived()
    }

    /// Cancels all effects and waits until their events have ended.
    /// - Parameters:
    ///   - strict: Whether the test fails if no effects are running.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*n*) for each change, where *n* is the number of events whose effects are running.
    public func skipInFlightEffects(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        // An effect that is about to end need not be cancelled.
        await Task.megaYield()
        let running = running
        guard !running.isEmpty else {
            if strict { site.fail(FailureText.nothingRunning) }
            return
        }
        if case .off(showSkippedAssertions: true) = exhaustivity {
            site.note(FailureText.running(running.map(\.action), "were cancelled", nil))
        }
        for event in running { event.task.cancel() }
        let waiting = await changes.wait(timeout: timeout) { running.allSatisfy { !$0.isRunning } }
        if waiting == .timedOut {
            let left = running.filter(\.isRunning).map(\.action)
            site.fail(FailureText.running(left, "have not ended \(timeout) after they were cancelled", nil))
        }
        for event in running where !event.isRunning { await event.task.finish() }
    }

    private func skipReceived() {
        guard let newest = received.last else { return }
        received = []
        commit(newest)
    }
}
