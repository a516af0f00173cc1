extension Promise {
    /// The value if it comes within the limit, else nil; `CancellationError` if the waiting task is cancelled first.
    package func value(
        within limit: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await self.value }
            group.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Returns when the promise is fulfilled, when `limit` has passed or when the calling task is cancelled.
    package func wait(atMost limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async {
        // Both errors mean that the wait is over.
        _ = try? await value(within: limit, clock: clock)
    }
}
