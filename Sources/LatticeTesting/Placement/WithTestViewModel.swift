public import LatticeCore

/// Runs a closure with a test view model of a hosted feature, in the given placement.
///
/// Sending, receiving and asserting work in the same way in every placement: the test sees each action that the
/// interactor handled, in order, with the state after it. Actions and effects that are left at the end of `body` fail
/// the test at the line of the call. If `body` throws, this check is skipped. The action of
/// `HostedFeature.started(_:in:)` is the first one to be received.
///
/// As outside of tests, three things are different in a worker:
/// - Effects begin some time after ``TestViewModel/send(_:assert:fileID:file:line:column:)`` has returned, and not
///   before. If the order matters, wait for a sign of the effect.
/// - The action of an earlier event's effect may be handled between two sends, even if the test has not waited in
///   between. The failure is then that a received action was not asserted.
/// - Issues that are reported inside the worker, such as an uncaught error, do not belong to a test. The test run fails
///   without a line.
///
/// - Parameters:
///   - feature: The feature.
///   - context: The context that the feature gets. Its configuration is sent to a worker.
///   - placement: The place where the feature runs.
///   - timeout: The default time to wait for actions and effects, in real time.
///   - fileID: The module and file of the call, at which a failure is reported.
///   - file: The file path of the call, at which a failure is reported.
///   - line: The line of the call, at which a failure is reported.
///   - column: The column of the call, at which a failure is reported.
///   - body: The test. Do not use the view model after it has returned.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws, and errors of creating a worker or of opening the feature in it.
@MainActor
public func withTestViewModel<F: HostedFeature, Result: Sendable>(
    of feature: F.Type,
    in context: HostContext = HostContext(),
    placement: TestPlacement = .local,
    timeout: Duration = .seconds(1),
    fileID: StaticString = #fileID,
    file: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ body: @MainActor (TestViewModel<F>) async throws -> Result
) async throws -> Result {
    let site = CallSite(fileID, file, line, column)
    if placement.isLocal {
        return try await lend(TestViewModel(inProcess: feature, in: context, timeout: timeout), at: site, body)
    }
    return try await MemoryWorker.with(hosting: WatchedFeature<F>.self, in: context) { worker in
        let engine = try WorkerTestEngine<F>(worker, context)
        try await engine.open()
        let viewModel = TestViewModel(feature, in: context, engine: engine, timeout: timeout, site: site)
        return try await lend(viewModel, at: site, body)
    }
}

/// The time for effects that are about to end when the test ends. The message about the end follows the last action
/// that the test has received.
private let grace: Duration = .milliseconds(100)

@MainActor
private func lend<F: HostedFeature, Result>(
    _ viewModel: TestViewModel<F>,
    at site: CallSite,
    _ body: @MainActor (TestViewModel<F>) async throws -> Result
) async throws -> Result {
    defer { viewModel.end(at: nil) }
    let result = try await body(viewModel)
    _ = await viewModel.changes.wait(timeout: grace) { viewModel.running.isEmpty }
    viewModel.end(at: site)
    return result
}
