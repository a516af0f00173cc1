/// A limit on the time that a whole measurement takes.
enum Deadline {
    /// Runs `body`, which has to end when it is cancelled.
    ///
    /// - Throws: What `body` throws, or a `BenchError` when the time is over.
    @MainActor static func run(
        within limit: Duration,
        _ body: @escaping @MainActor () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // Cancelled: the body has ended, and nobody asks for this result.
                try await Task.sleep(for: limit)
                throw BenchError("not done within \(limit); the machine is overloaded, or an event was lost")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
