package import LatticeTransport

/// A reactor whose thread has ended when this returns.
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
