public import LatticeCore

/// Lends a test view model of a hosted feature, in the placement that is asked for.
///
/// What is sent, received and asserted is the same in every placement: each action that the interactor handled, in
/// order, with the state after it. What is left at the end of `body` fails the test at the line of the call; if `body`
/// throws, it is not looked at. An action of ``HostedFeature/started(_:in:)`` is the first to be received.
///
/// In a worker, three things differ, as they do outside tests:
/// - Effects begin some time after ``TestViewModel/send(_:assert:fileID:file:line:column:)`` has returned, not before.
///   A test that has to know waits for a sign of the effect.
/// - An effect of an earlier event may be handled between two sends, although the test has not waited in between. The
///   failure is that of a received action that was not asserted.
/// - What is reported inside the worker, such as an error that nothing caught, belongs to no test: the run fails, and
///   names no line.
///
/// - Parameters:
///   - context: what the feature is told of the place where it runs; its configuration travels to a worker.
///   - placement: where the feature runs.
///   - timeout: how long to wait for actions and effects, in real time, where a call does not say.
///   - body: the test. The view model is of no use after it.
/// - Throws: what `body` throws, and what keeps a worker from being made or from opening the feature.
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

/// How long effects that are about to end may take at the end of a test: the message that says so follows the last
/// action that the test has received.
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
