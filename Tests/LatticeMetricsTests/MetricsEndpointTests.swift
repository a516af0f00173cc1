import CoreMetrics
import LatticeConcurrency
import LatticeTestSupport
import Testing

@testable import LatticeMetrics

/// Tests the endpoint over sockets.
@Suite(.timeLimit(.minutes(2))) struct MetricsEndpointTests {
    private let registry = PrometheusRegistry()

    private func body(_ answer: String) -> ScrapedText {
        ScrapedText(answer.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? "")
    }

    @Test("Each answer has the metrics of its moment, over TCP")
    func loopback() async throws {
        let gauge = registry.makeMeter(label: "reads", dimensions: [])
        let count = Locked(0)
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) {
            let reads = count.withLock { count in
                count += 1
                return count
            }
            gauge.set(Int64(reads))
        } _: { endpoint in
            #expect(!endpoint.address.description.hasSuffix(":0/metrics"))
            for number in 1...3 {
                let answer = try await BlockingSocket.scrape(endpoint.address)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(body(answer)["reads"] == Double(number) && body(answer).problems == [])
            }
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
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) { endpoint in
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

    @Test("A client that leaves without reading, and the end of the endpoint, leave nothing behind")
    func left() async throws {
        var address: MetricsAddress?
        try await withMetricsEndpoint(registry, at: .loopback(port: 0)) { endpoint in
            for _ in 0..<20 { try BlockingSocket(endpoint.address).send("GET /metrics HTTP/1.0\r\n\r\n") }
            #expect(try await BlockingSocket.scrape(endpoint.address).hasPrefix("HTTP/1.1 200 OK\r\n"))
            address = endpoint.address
        }
        let closed = try #require(address)
        try await poll { (try? BlockingSocket(closed)) == nil }
    }
}
