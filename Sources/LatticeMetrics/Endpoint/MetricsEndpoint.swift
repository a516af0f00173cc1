import LatticeConcurrency
import LatticeTransport

/// An endpoint at which Prometheus reads metrics, by HTTP/1.1 and in the text format 0.0.4.
///
/// You get one from `withMetricsEndpoint(_:at:refresh:isolation:_:)`.
public final class MetricsEndpoint: Sendable {
    /// The maximum number of connections at once. One more closes the oldest one that has not sent its request, or the
    /// oldest one of all.
    public static let maximumConnections = 16
    /// The maximum size of a request in bytes. A larger one is answered with the status 431.
    public static let maximumRequestBytes = ScrapeRequest.maximumHead
    /// The time for a connection to send its request, and for the metrics to be read. If they cannot be read in that
    /// time, the answer has the status 503. A reader of that answer gets the same time once more.
    public static let timeout: Duration = .seconds(10)

    /// The time for which a text answers requests. Any user of this machine can send many requests to a port, so the
    /// metrics are read once in that time.
    public static let textLifetime: Duration = .seconds(1)

    /// The address. If it was created with port 0, it has the port that the system has chosen.
    public let address: MetricsAddress

    private let reactor: Reactor
    private let server: ScrapeServer
    private let stopListening: @Sendable () -> Void
    private let textLifetime: Duration

    /// Begins to listen.
    init(
        at address: MetricsAddress,
        timeout: Duration = MetricsEndpoint.timeout,
        textLifetime: Duration = MetricsEndpoint.textLifetime
    ) throws(MetricsEndpointError) {
        self.textLifetime = textLifetime
        let reactor: Reactor
        do throws(TransportError) {
            reactor = try Reactor.start(name: "lattice-metrics")
        } catch {
            throw .listening(address, error)
        }
        let server = ScrapeServer(on: reactor, timeout: timeout)
        do throws(TransportError) {
            switch address.place {
            case .loopback(let port):
                let listener = try LoopbackListener(port: port, reactor: reactor) { connection, port in
                    server.accept(connection, at: .loopback(port: port))
                }
                self.address = .loopback(port: listener.port)
                stopListening = { listener.close() }
            case .socket(let path):
                let listener = try SocketListener(path: SocketPath(path), reactor: reactor) { connection in
                    server.accept(connection, at: address)
                }
                self.address = address
                stopListening = { listener.close() }
            }
        } catch {
            reactor.stop()
            throw .listening(address, error)
        }
        self.reactor = reactor
        self.server = server
    }

    /// Answers requests until the endpoint is closed or the task is cancelled. All that wait get the same text.
    func serve(_ read: @Sendable () async -> String) async {
        var last: (text: String, begin: ContinuousClock.Instant)?
        for await _ in server.requests {
            // Connections that gave up in the meantime need no answer.
            guard await isAsked else { continue }
            let now = ContinuousClock.now
            let text: String
            if let last, last.begin.duration(to: now) < textLifetime {
                text = last.text
            } else {
                text = await read()
                last = (text, now)
            }
            reactor.execute { [server] in server.answer(text) }
        }
    }

    private var isAsked: Bool {
        get async {
            await withCheckedContinuation { waiter in
                reactor.execute { [server] in waiter.resume(returning: server.isAsked) }
            }
        }
    }

    /// Stops listening and closes the connections.
    func close() {
        stopListening()
        reactor.execute { [server, reactor] in
            server.close()
            reactor.stop()
        }
    }
}

/// Serves metrics to Prometheus for the duration of a closure.
///
/// ```swift
/// try await withMetricsEndpoint(registry, at: .loopback(port: 9464)) {
///     metrics.record(await coordinator.figures())
/// } _: { endpoint in
///     print("metrics at \(endpoint.address)")
///     try await serve(coordinator)
/// }
/// ```
///
/// The endpoint answers `GET /metrics`. It takes at most ``MetricsEndpoint/maximumConnections`` connections, each with
/// one request of at most ``MetricsEndpoint/maximumRequestBytes``, and closes each one after
/// ``MetricsEndpoint/timeout``. Requests within ``MetricsEndpoint/textLifetime`` get the same text. The endpoint has a
/// thread of its own, so a busy coordinator does not delay the connection.
///
/// - Parameters:
///   - registry: The metrics.
///   - address: The place to listen at.
///   - refresh: Reads what is not counted, before each text. Answers wait for it, and it is never called twice at
///     once. A call that runs at the end is awaited.
///   - isolation: The isolation of the caller, in which the closure `body` runs.
///   - body: A closure during which the metrics are served.
/// - Returns: The result of the closure.
/// - Throws: ``MetricsEndpointError`` if the address is taken or not permitted, and the errors of the closure.
public func withMetricsEndpoint<Result>(
    _ registry: PrometheusRegistry,
    at address: MetricsAddress,
    refresh: @escaping @Sendable () async -> Void = {},
    isolation: isolated (any Actor)? = #isolation,
    _ body: (MetricsEndpoint) async throws -> Result
) async throws -> Result {
    let endpoint = try MetricsEndpoint(at: address)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        // A thread of the library, because tasks of the program may occupy Swift's thread pool.
        group.addTask(executorPreference: ThreadPool.shared) {
            await endpoint.serve {
                await refresh()
                return registry.text()
            }
        }
        defer {
            endpoint.close()
            group.cancelAll()
        }
        return try await body(endpoint)
    }
}
