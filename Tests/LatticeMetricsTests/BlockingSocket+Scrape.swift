import LatticeTestSupport

@testable import LatticeMetrics

extension BlockingSocket {
    /// Connects to an endpoint.
    convenience init(_ address: MetricsAddress) throws {
        switch address.place {
        case .loopback(let port): try self.init(port: port)
        case .socket(let path): try self.init(path: path)
        }
    }

    /// Asks an endpoint for the metrics and returns the whole answer.
    static func scrape(_ address: MetricsAddress) async throws -> String {
        let socket = try BlockingSocket(address)
        socket.send("GET /metrics HTTP/1.1\r\nHost: \(address.hosts?.min() ?? "any")\r\n\r\n")
        return await socket.answer()
    }
}
