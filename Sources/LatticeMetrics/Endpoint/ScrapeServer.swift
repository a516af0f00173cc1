import LatticeConcurrency
import LatticeTransport

/// The connections of an endpoint. Their number is bounded.
///
/// Everything here happens on the event loop, except ``requests``, which one task reads.
final class ScrapeServer: Sendable {
    /// An element for each time at which requests wait for the metrics. One element stands for all that wait.
    let requests: AsyncStream<Void>
    private let waiting: AsyncStream<Void>.Continuation
    private let connections: LoopBound<[ScrapeConnection]>
    private let milliseconds: Int64

    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - timeout: The time for a connection.
    init(on eventLoop: any EventLoop, timeout: Duration) {
        (requests, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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
            // No connection keeps out another one: neither one that sends nothing, nor one that reads slowly.
            let oldest = connections.value.firstIndex(where: \.isReading) ?? 0
            connections.value.remove(at: oldest).close()
        }
        let scrape = ScrapeConnection(
            connection,
            hosts: address.hosts,
            onRequest: { [waiting] _ in waiting.yield() },
            onEnd: { [weak self] ended in self?.connections.value.removeAll { $0 === ended } }
        )
        connections.value.append(scrape)
        scrape.start(within: milliseconds)
    }

    /// A Boolean value that indicates whether a request waits for the metrics.
    var isAsked: Bool { connections.value.contains(where: \.isWaiting) }

    /// Answers all requests that wait.
    func answer(_ text: String) {
        for connection in connections.value where connection.isWaiting { connection.answer(text) }
    }

    /// Closes all connections.
    func close() {
        waiting.finish()
        for connection in connections.value { connection.close() }
    }
}
