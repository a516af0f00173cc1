public import LatticeCore

/// Stands for one event that a ``TestViewModel`` sent: its effects, the effects of the actions those emit, and so on.
///
/// Keeps the view model. Which actions followed from the event is not its business: they are received from the view
/// model.
public struct TestEventTask: Sendable {
    private let task: EventTask
    private let waitForEnd: @MainActor @Sendable (_ timeout: Duration?, _ site: CallSite?) async -> Void

    @MainActor
    init<F: FeatureTypes>(_ task: EventTask, _ action: F.Action, of viewModel: TestViewModel<F>) {
        self.task = task
        waitForEnd = { await viewModel.waitForEnd(of: task, action, $0, $1) }
    }

    /// Cancels all effects of the event, started or not, and waits until the event has ended.
    public func cancel() async {
        task.cancel()
        await waitForEnd(nil, nil)
        // An effect that was cancelled gets the chance to clean up, also in a worker.
        if task.outcome != nil { await task.finish() }
        await Task.megaYield()
    }

    /// Waits until all effects of the event have ended. Fails the test if they have not after `timeout` of real time,
    /// nil for the view model's.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await waitForEnd(timeout, CallSite(fileID, file, line, column))
    }

    /// Whether the event was cancelled.
    public var isCancelled: Bool { task.isCancelled }

    /// How the event ended, or nil while it runs.
    public var outcome: EventOutcome? { task.outcome }
}

extension TestViewModel {
    /// - Parameter site: where to say that it did not end in time; nil if nobody needs to know.
    fileprivate func waitForEnd(of task: EventTask, _ action: Action, _ timeout: Duration?, _ site: CallSite?) async {
        let timeout = timeout ?? self.timeout
        let waiting = await changes.wait(timeout: timeout) { task.outcome != nil }
        guard waiting == .timedOut, let site else { return }
        complain(FailureText.running([action], "are still running after \(timeout)", .viewModel), at: site)
    }
}

/// An event that a test has sent, and whose effects may be running.
struct SentEvent<Action: Sendable>: Sendable {
    let action: Action
    let task: EventTask
    /// The test has been told already that its effects do not end.
    var isReported = false

    var isRunning: Bool { task.outcome == nil }
}

/// A handled action that waits to be asserted, with what it led to.
struct ReceivedAction<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: Sendable {
    let handled: HandledAction<Action, DomainState>
    let viewState: ViewState

    var action: Action { handled.action }
}
