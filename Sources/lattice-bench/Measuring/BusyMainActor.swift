import Glibc

/// Blocks the main actor of this process for most of the time.
enum BusyMainActor {
    private static let busy: Duration = .milliseconds(200)
    private static let free: Duration = .milliseconds(50)

    /// Blocks the main actor again and again, until the closure has returned. It waits and does not compute, so that
    /// other threads and processes keep their cores.
    @MainActor static func with<Result>(_ body: @MainActor () async throws -> Result) async throws -> Result {
        let blocking = Task {
            while !Task.isCancelled {
                usleep(UInt32(busy / .microseconds(1)))
                try? await Task.sleep(for: free)
            }
        }
        defer { blocking.cancel() }
        return try await body()
    }
}
