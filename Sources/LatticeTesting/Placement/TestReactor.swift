import LatticeTransport

/// Runs a closure with a thread that reads connections. The thread has ended when the function returns.
func withTestReactor<Result>(
    _ name: String,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Reactor) async throws -> Result
) async throws -> Result {
    let reactor = try Reactor.start(name: name)
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(reactor))
    } catch {
        result = .failure(error)
    }
    reactor.stop()
    await reactor.stopped()
    return try result.get()
}
