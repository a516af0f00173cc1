/// A limit on the time of a whole measurement.
enum Deadline {
    /// Runs a closure, which has to end when it is cancelled.
    ///
    /// - Parameters:
    ///   - limit: The maximum time.
    ///   - what: The awaited event for the error message, or nil for the whole measurement.
    ///   - body: The closure.
    /// - Throws: Any error that `body` throws, or a `BenchError` when the time is over.
    @MainActor static func run<Result: Sendable>(
        within limit: Duration,
        waitingFor what: String? = nil,
        _ body: @escaping @MainActor () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // If this is cancelled, the body has ended and the result of this task is not used.
                try await Task.sleep(for: limit)
                let what = what.map { "\($0) was awaited, but did not happen" } ?? "the measurement did not end"
                throw BenchError("\(what) within \(limit); the machine is overloaded, or an event was lost")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }
}
