import LatticeCore

extension TestViewModel {
    /// Waits until all effects have ended, and asserts that no received action is left.
    ///
    /// Call it at the end of a test. What does not end within `timeout` of real time, and what was not received, fails
    /// the test; with exhaustivity off it is skipped.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects run, each time that something changes.
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

    /// Takes all received actions as asserted: the domain state and the view state are those of the newest.
    /// - Parameter strict: whether it fails the test that there are none.
    public func skipReceivedActions(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        // What is on its way to the main actor is received as well.
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

    /// Cancels all effects, and waits until their events have ended.
    /// - Parameter strict: whether it fails the test that none are running.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects run, each time that something changes.
    public func skipInFlightEffects(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let site = CallSite(fileID, file, line, column)
        // What is about to end by itself has not to be skipped.
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
