import Testing

@testable import LatticeCore

private enum LoadAction: Equatable, Sendable {
    case load
    case loaded(String)
    case failed(String)
}

private struct API: Sendable {
    var fails = false

    func load() async throws -> String {
        if fails { throw Failure(description: "no net") }
        return "data"
    }

    func cached() async -> String { "cached" }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct PerformTests {
    private func name(_ emission: Emission<LoadAction>) -> String {
        switch emission.kind {
        case .perform: "perform"
        case .attempt: "attempt"
        default: "\(emission.kind)"
        }
    }

    @Test("Closures may throw, and closures that do not throw keep their type (W40)")
    func closures() {
        let api = API()
        #expect(name(.perform { .loaded("data") }) == "perform")
        #expect(name(.perform { await .loaded(api.cached()) }) == "perform")
        #expect(name(.perform { .loaded((try? await api.load()) ?? "") }) == "perform")
        #expect(
            name(
                .perform {
                    do {
                        return .loaded(try await api.load())
                    } catch {
                        return .failed("\(error)")
                    }
                }
            ) == "perform"
        )
        #expect(name(.perform { .loaded(try await api.load()) }) == "attempt")
        #expect(
            name(
                .perform {
                    let data = try await api.load()
                    return .loaded(data)
                }
            ) == "attempt"
        )
        #expect(name(.perform { throw Failure(description: "always") }) == "attempt")
        let stored: @Sendable () async throws -> LoadAction? = { .load }
        #expect(name(.perform(stored)) == "attempt")
    }

    @Test("The documented use of try inside perform compiles and works (W40)", arguments: [false, true])
    func documentedShape(fails: Bool) async {
        let api = API(fails: fails)
        let runtime = makeRuntime([]) { (state: inout [String], action: LoadAction) in
            switch action {
            case .load:
                return .perform {
                    let data = try await api.load()
                    return .loaded(data)
                } catch: { error in
                    .failed("\(error)")
                }
            case .loaded(let data): state.append(data)
            case .failed(let message): state.append(message)
            }
            return .none
        }
        #expect(await runtime.send(.load).finish() == .finished)
        #expect(runtime.state == [fails ? "no net" : "data"])
    }
}
