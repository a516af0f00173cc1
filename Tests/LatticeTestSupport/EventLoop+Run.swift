package import LatticeTransport

extension EventLoop {
    /// Runs `work` on the event loop's thread, and returns its result.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { waiter in execute { waiter.resume(returning: work()) } }
    }
}
