import LatticeConcurrency

/// Runs a client for the time of a closure.
///
/// ```swift
/// try await withClient(connectingTo: path) { client in
///     let viewModel = try await client.viewModel(TallyFeature.self)
///     print(viewModel.viewState)
/// }
/// ```
///
/// - Parameters:
///   - path: The socket of the coordinator.
///   - isolation: The caller's; the closure runs there.
/// - Throws: `ClientError`, and what the closure throws.
public func withClient<Result>(
    connectingTo path: String,
    configuration: ClientConfiguration = ClientConfiguration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Client) async throws -> Result
) async throws -> Result {
    let client = try Client(connectingTo: path, configuration: configuration)
    defer { client.close() }
    try await withTaskExecutorPreference(ThreadPool.shared) { try await client.connect() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        // On threads of our own: tasks of the program may keep those of Swift busy.
        group.addTask(executorPreference: ThreadPool.shared) { await client.run() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await withTaskExecutorPreference(ThreadPool.shared) { await client.stop() }
        group.cancelAll()
        return try result.get()
    }
}
