public import LatticeCore
import LatticeSession
package import LatticeTransport
public import Logging

/// The settings of a client: how it connects and how it supervises its connection.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.connectTimeout = .seconds(2)
/// configuration.reconnect = .never
/// try await withClient(connectingTo: path, configuration: configuration) { client in try await show(client) }
/// ```
///
/// Times are kept to the millisecond. If a setting is invalid, such as a timeout of zero, `withClient` throws
/// `ClientError.Code.invalid`.
public struct ClientConfiguration: Sendable {
    /// The time within which a coordinator must answer a new connection, including the first one. A coordinator whose
    /// process is stopped does not answer. The default is 5 seconds.
    public var connectTimeout: Duration = .seconds(5)
    /// The time within which a view model must receive its first view state. A coordinator whose worker is not serving
    /// yet has none. The default is 30 seconds.
    public var openTimeout: Duration = .seconds(30)
    /// The policy for reconnecting after the connection was lost.
    public var reconnect = ReconnectPolicy()
    /// The interval at which the coordinator is sent a heartbeat. The default is 1 second.
    public var heartbeatInterval: Duration = .seconds(1)
    /// The time within which the coordinator must answer a heartbeat, at least `heartbeatInterval`. The default is 10
    /// seconds. The time starts again while the coordinator decodes a large state of its worker.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// The time that an event waits, after its deadline, until the coordinator says how it has ended. After that it
    /// ends as cancelled by its deadline, at a stage that is unknown. The default is 30 milliseconds.
    public var deadlineGrace: Duration = .milliseconds(30)
    /// The time that the client waits when it ends until all sent messages are written. The default is 1 second.
    public var closeTimeout: Duration = .seconds(1)
    /// The logger for messages about the connection and for what the client drops when a limit is reached.
    ///
    /// A lost and a restored connection have the level `notice`, a client that gives up and what is dropped have the
    /// level `warning`, and each connection and each failed attempt have the level `debug`. The client calls the
    /// logger on its own threads, so a log handler that blocks delays the client.
    public var logger = Logger(label: "lattice")
    /// The observers of what the client does. They receive the events that are also logged, and more detailed ones. The
    /// default is none.
    public var observers: [RuntimeObserver] = []

    /// Returns a function that wraps the connections of the client. Each client calls this closure once. Tests inject
    /// faults with it.
    package var wrapConnections: (@Sendable () -> ConnectionWrapper)?

    /// Creates a configuration with the default settings.
    public init() {}

    /// The sink of the runtime's events, with the observers of the program and the log.
    var events: RuntimeEvents { RuntimeEvents(observers + [.logging(to: logger)]) }

    func check() throws(ConfigurationError) {
        try Settings.check("connectTimeout", connectTimeout)
        try Settings.check("openTimeout", openTimeout)
        try Settings.checkHeartbeat(interval: heartbeatInterval, timeout: heartbeatTimeout)
        try Settings.check("deadlineGrace", deadlineGrace, from: .zero)
        try Settings.check("closeTimeout", closeTimeout, from: .zero)
        try reconnect.check()
    }
}
