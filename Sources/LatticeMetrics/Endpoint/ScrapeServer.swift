import LatticeConcurrency
import LatticeTransport

/// The connections of an endpoint. Their number is bounded.
///
/// Everything here happens on the event loop, except ``requests``, which one task reads.
final class ScrapeServer: Sendable {
    /// The connections whose requests wait for the metrics.
    let requests: AsyncStream<ScrapeConnection>
    private let waiting: AsyncStream<ScrapeConnection>.Continuation
    private let connections: LoopBound<[ScrapeConnection]>
    private let milliseconds: Int64

    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - timeout: The time for a connection.
    init(on eventLoop: any EventLoop, timeout: Duration) {
        (requests, waiting) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(MetricsEndpoint.maximumConnections)
        )
        connections = LoopBound([], to: eventLoop.thread)
        milliseconds = timeout.nanoseconds / 1_000_000
    }

    /// Begins to serve a connection.
    ///
    /// - Parameters:
    ///   - connection: A connection that is not started.
    ///   - address: The address of the endpoint.
    func accept(_ connection: any Connection, at address: MetricsAddress) {
        if connections.value.count >= MetricsEndpoint.maximumConnections {
            // A connection that sends nothing must not keep out one that does.
            guard let oldest = connections.value.firstIndex(where: \.isReading) else { return connection.close() }
            connections.value.remove(at: oldest).close()
        }
        let scrape = ScrapeConnection(
            connection,
            hosts: address.hosts,
            onRequest: { [waiting] in waiting.yield($0) },
            onEnd: { [weak self] ended in self?.connections.value.removeAll { $0 === ended } }
        )
        connections.value.append(scrape)
        scrape.start(within: milliseconds)
    }

    /// Closes all connections.
    func close() {
        waiting.finish()
        for connection in connections.value { connection.close() }
    }
}
