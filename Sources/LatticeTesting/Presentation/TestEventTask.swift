public import LatticeCore

/// A handle for one event that a ``TestViewModel`` sent, including its effects, the effects of the actions that those
/// emit, and so on.
///
/// The handle keeps the view model alive. It does not give access to the actions that followed from the event. Receive
/// them from the view model.
public struct TestEventTask: Sendable {
    private let task: EventTask
    private let waitForEnd: @MainActor @Sendable (_ timeout: Duration?, _ site: CallSite?) async -> Void

    @MainActor
    init<F: FeatureTypes>(_ task: EventTask, _ action: F.Action, of viewModel: TestViewModel<F>) {
        self.task = task
        waitForEnd = { await viewModel.waitForEnd(of: task, action, $0, $1) }
    }

    /// Cancels all effects of the event, whether started or not, and waits until the event has ended.
    public func cancel() async {
        task.cancel()
        await waitForEnd(nil, nil)
        // A cancelled effect gets time to clean up, also in a worker.
        if task.outcome != nil { await task.finish() }
        await Task.megaYield()
    }

    /// Waits until all effects of the event have ended. Fails the test if they are still running after `timeout` of
    /// real time. With nil, the timeout of the view model is used.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await waitForEnd(timeout, CallSite(fileID, file, line, column))
    }

    /// A Boolean value that indicates whether the event was cancelled.
    public var isCancelled: Bool { task.isCancelled }

    /// The outcome of the event, or nil while it is running.
    public var outcome: EventOutcome? { task.outcome }
}

extension TestViewModel {
    /// Waits until an event has ended.
    ///
    /// - Parameters:
    ///   - task: The task of the event.
    ///   - action: The action that was sent.
    ///   - timeout: The time to wait, or nil for the timeout of the view model.
    ///   - site: The place to report a timeout, or nil to report nothing.
    fileprivate func waitForEnd(of task: EventTask, _ action: Action, _ timeout: Duration?, _ site: CallSite?) async {
        let timeout = timeout ?? self.timeout
        let waiting = await changes.wait(timeout: timeout) { task.outcome != nil }
        guard waiting == .timedOut, let site else { return }
        complain(FailureText.running([action], "are still running after \(timeout)", .viewModel), at: site)
    }
}

/// An event that a test has sent and whose effects may be running.
struct SentEvent<Action: Sendable>: Sendable {
    let action: Action
    let task: EventTask
    /// A Boolean value that indicates whether the test has already been failed because the effects do not end.
    var isReported = false

    var isRunning: Bool { task.outcome == nil }
}

/// A handled action that waits to be asserted, with the view state after it.
struct ReceivedAction<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: Sendable {
    let handled: HandledAction<Action, DomainState>
    let viewState: ViewState

    var action: Action { handled.action }
}
