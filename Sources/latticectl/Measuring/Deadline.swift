/// A limit on the time that a whole measurement takes.
enum Deadline {
    /// Runs `body`, which has to end when it is cancelled.
    ///
    /// - Parameter what: What the error names; nil: the whole measurement.
    /// - Throws: What `body` throws, or a `BenchError` when the time is over.
    @MainActor static func run<Result: Sendable>(
        within limit: Duration,
        waitingFor what: String? = nil,
        _ body: @escaping @MainActor () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // Cancelled: the body has ended, and nobody asks for this result.
                try await Task.sleep(for: limit)
                let what = what.map { "\($0), which was waited for, has not come" } ?? "not done"
                throw BenchError("\(what) within \(limit); the machine is overloaded, or an event was lost")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }
}
