import LatticeConcurrency

/// Runs a client for the duration of a closure.
///
/// The function connects to the coordinator and calls the closure. While the closure runs, a lost connection is opened
/// again as the configuration's ``ReconnectPolicy`` says. When the closure returns or throws, the client says goodbye
/// and ends.
///
/// ```swift
/// try await withClient(connectingTo: path) { client in
///     let viewModel = try await client.viewModel(TallyFeature.self)
///     print(viewModel.viewState)
/// }
/// ```
///
/// - Parameters:
///   - path: The path of the coordinator's socket.
///   - configuration: The settings of the client.
///   - isolation: The isolation of the caller, in which the closure runs.
///   - body: A closure that uses the client.
/// - Returns: The result of the closure.
/// - Throws: `ClientError` if the client cannot connect, and the errors of the closure.
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
        // This task runs on a thread of the library, because tasks of the program may occupy Swift's thread pool.
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
