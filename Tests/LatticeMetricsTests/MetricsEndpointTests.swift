import CoreMetrics
import Foundation
import LatticeConcurrency
import LatticeTestSupport
import Testing

@testable import LatticeMetrics

/// Tests the endpoint over sockets.
@Suite(.timeLimit(.minutes(10))) struct MetricsEndpointTests {
    private let registry = PrometheusRegistry()

    private func body(_ answer: String) -> ScrapedText {
        ScrapedText(answer.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? "")
    }

    /// Runs a test with an endpoint whose text is made by `read`.
    private func withEndpoint(
        timeout: Duration = .seconds(100),
        textLifetime: Duration = .zero,
        _ read: @escaping @Sendable () async -> String,
        _ body: (MetricsEndpoint) async throws -> Void
    ) async throws {
        let endpoint = try MetricsEndpoint(at: .loopback(port: 0), timeout: timeout, textLifetime: textLifetime)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await endpoint.serve(read) }
            defer {
                endpoint.close()
                group.cancelAll()
            }
            try await body(endpoint)
        }
    }

    /// The lifetimes of a text, and the numbers of the texts of three answers.
    static let lifetimes: [(Duration, [Double])] = [(.zero, [1, 2, 3]), (.seconds(1000), [1, 1, 1])]

    @Test("A text answers the requests of its lifetime", arguments: lifetimes)
    func lifetime(_ lifetime: Duration, _ numbers: [Double]) async throws {
        let count = Locked(0)
        try await withEndpoint(textLifetime: lifetime) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return "reads \(number)\n"
        } _: { endpoint in
            for number in numbers {
                let answer = try await BlockingSocket.scrape(endpoint.address)
                #expect(body(answer)["reads"] == number)
            }
        }
    }

    @Test("Connections that wait for the metrics do not keep out one that comes later")
    func crowd() async throws {
        let (gate, asked) = (OneShot<Void>(), OneShot<Void>())
        try await withEndpoint {
            asked.complete(())
            await gate.wait()
            return "x 1\n"
        } _: { endpoint in
            let sockets = try (0..<MetricsEndpoint.maximumConnections).map { _ in try BlockingSocket(endpoint.address) }
            for socket in sockets { socket.send("GET /metrics HTTP/1.0\r\n\r\n") }
            await asked.wait()
            let late = try BlockingSocket(endpoint.address)
            late.send("GET /metrics HTTP/1.0\r\n\r\n")
            await withTaskGroup(of: String.self) { group in
                for socket in sockets { group.addTask { await socket.answer() } }
                // No request is answered yet, so the first end is that of the connection that had to leave.
                #expect(await group.next() == "")
                gate.complete(())
                for await answer in group { #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n")) }
            }
            #expect(await late.answer().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test("Each answer has what was refreshed for it, over TCP")
    func loopback() async throws {
        let gauge = registry.makeMeter(label: "reads", dimensions: [])
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) {
            gauge.set(1.0)
        } _: { endpoint in
            #expect(!endpoint.address.description.hasSuffix(":0/metrics"))
            let answer = try await BlockingSocket.scrape(endpoint.address)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(body(answer)["reads"] == 1 && body(answer).problems == [])
        }
    }

    @Test("A Unix socket serves the same, and is removed afterwards")
    func socket() async throws {
        registry.makeMeter(label: "x", dimensions: []).set(1.0)
        try await withTemporaryDirectory { directory in
            let address = MetricsAddress.socket(directory + "/metrics.sock")
            try await withMetricsEndpoint(registry, at: address) { endpoint in
                let answer = try await BlockingSocket.scrape(endpoint.address)
                #expect(body(answer)["x"] == 1)
                await #expect(throws: MetricsEndpointError.self) {
                    try await withMetricsEndpoint(registry, at: address) { _ in }
                }
            }
            #expect(throws: BlockingSocket.Failure.self) { try BlockingSocket(address) }
        }
    }

    @Test("A port that is taken is an error that says what to do")
    func taken() async throws {
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) { endpoint in
            let error = try await #require(throws: MetricsEndpointError.self) {
                try await withMetricsEndpoint(registry, at: endpoint.address) { _ in }
            }
            #expect(error.code == .listening)
            #expect(error.message.hasPrefix("The metrics cannot be served at \(endpoint.address). Could not listen at"))
            #expect(error.message.hasSuffix("Choose another address if another program serves there."))
        }
    }

    @Test("A large answer reaches a reader that begins late")
    func large() async throws {
        for number in 0..<1_000 {
            let name = String(repeating: "x", count: 200) + "\(number)"
            _ = registry.makeTimer(label: "t", dimensions: [("series", name)])
        }
        let text = registry.text()
        #expect(text.utf8.count > 4_000_000)
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) { endpoint in
            let answer = try await BlockingSocket.scrape(endpoint.address)
            #expect(answer.hasSuffix("\r\n\r\n" + text))
        }
    }

    @Test("Connections that send nothing do not keep out one that does")
    func silent() async throws {
        // The time of a connection does not end during the test.
        try await withEndpoint(timeout: .seconds(600)) {
            "x 1\n"
        } _: { endpoint in
            let count = 2 * MetricsEndpoint.maximumConnections
            let silent = try (0..<count).map { _ in try BlockingSocket(endpoint.address) }
            for socket in silent { socket.send("GET /met") }
            #expect(try await BlockingSocket.scrape(endpoint.address).hasPrefix("HTTP/1.1 200 OK\r\n"))
            // The oldest ones had to leave.
            #expect(await silent[0].answer() == "")
            #expect(await silent[MetricsEndpoint.maximumConnections - 1].answer() == "")
        }
    }

    @Test("A connection is closed after its time: silent ones without an answer, and waiting ones with an error")
    func timeout() async throws {
        let endpoint = try MetricsEndpoint(at: .loopback(port: 0), timeout: .seconds(2))
        let gate = OneShot<Void>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await endpoint.serve {
                    await gate.wait()
                    return "late 1\n"
                }
            }
            do {
                let silent = try BlockingSocket(endpoint.address)
                let waiting = try BlockingSocket(endpoint.address)
                waiting.send("GET /metrics HTTP/1.0\r\n\r\n")
                #expect(await silent.answer() == "")
                #expect(await waiting.answer().hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
                gate.complete(())
                // The next one is served, because the answer of the first one is dropped.
                let next = try BlockingSocket(endpoint.address)
                next.send("GET /metrics HTTP/1.0\r\n\r\n")
                #expect(await next.answer().hasPrefix("HTTP/1.1"))
            } catch {
                Issue.record(error)
            }
            endpoint.close()
            group.cancelAll()
        }
    }

    #if os(Linux)
    /// The number of descriptors of sockets whose own port is that of an endpoint.
    private func descriptors(of address: MetricsAddress) throws -> Int {
        guard case .loopback(let port) = address.place else { return 0 }
        let suffix = ":" + String(port, radix: 16, uppercase: true)
        return try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: " ") }
            // A socket that only the kernel still has, such as one in TIME_WAIT, has no file number.
            .count { $0.count > 9 && $0[1].hasSuffix(suffix) && $0[9] != "0" }
    }

    @Test("A client that leaves without reading, and the end of the endpoint, leave no descriptor behind")
    func left() async throws {
        var address: MetricsAddress?
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) { endpoint in
            for _ in 0..<20 { try BlockingSocket(endpoint.address).send("GET /metrics HTTP/1.0\r\n\r\n") }
            #expect(try await BlockingSocket.scrape(endpoint.address).hasPrefix("HTTP/1.1 200 OK\r\n"))
            // What is left is the socket that listens.
            try await poll { (try? descriptors(of: endpoint.address)) == 1 }
            address = endpoint.address
        }
        let closed = try #require(address)
        try await poll { (try? descriptors(of: closed)) == 0 }
        #expect(throws: BlockingSocket.Failure.self) { try BlockingSocket(closed) }
    }
    #endif
}
