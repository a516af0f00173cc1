import Dispatch
package import LatticeTransport

/// Blocks the thread of an event loop while `body` runs, so that no connection on it reads.
package func withHeld<Result>(_ eventLoop: any EventLoop, _ body: () async throws -> Result) async throws -> Result {
    let (isHeld, isOver) = (Watched(false), DispatchSemaphore(value: 0))
    eventLoop.execute {
        isHeld.change { $0 = true }
        isOver.wait()
    }
    defer { isOver.signal() }
    try await isHeld.until { $0 }
    return try await body()
}
