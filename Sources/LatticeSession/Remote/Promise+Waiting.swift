extension Promise {
    /// Returns when the promise is fulfilled, when `limit` has passed or when the calling task is cancelled.
    package func wait(atMost limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async {
        await withTaskGroup(of: Void.self) { group in
            // Neither error matters: both mean that the wait is over.
            group.addTask { _ = try? await self.value }
            group.addTask { try? await clock.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
