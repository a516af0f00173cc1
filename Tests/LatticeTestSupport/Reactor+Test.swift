package import LatticeTransport

/// Runs a test with a reactor, and returns after the reactor's thread has ended.
package func withReactor<Result>(_ body: (Reactor) async throws -> Result) async throws -> Result {
    try await withTestPlace { try await withReactorAtOnce(body) }
}

private func withReactorAtOnce<Result>(_ body: (Reactor) async throws -> Result) async throws -> Result {
    let reactor = try Reactor.start(name: "test")
    do {
        let result = try await body(reactor)
        reactor.stop()
        await reactor.stopped()
        return result
    } catch {
        reactor.stop()
        await reactor.stopped()
        throw error
    }
}
