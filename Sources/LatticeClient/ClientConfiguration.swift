import LatticeSession
package import LatticeTransport

/// How a client connects and watches its connection.
///
/// Times are kept to the millisecond. A setting that makes no sense, such as a limit of zero, is refused with
/// `ClientError.Code.invalid`.
public struct ClientConfiguration: Sendable {
    /// How long a coordinator may take to answer a new connection, the first one too. One that is stopped does not.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a view model may take to get its first view state: a coordinator whose worker cannot serve yet has
    /// none.
    public var openTimeout: Duration = .seconds(30)
    /// How often, and after which waits, a lost coordinator is looked for.
    public var reconnect = ReconnectPolicy()
    /// How often the coordinator is asked whether it is there.
    public var heartbeatInterval: Duration = .seconds(1)
    /// How long it may take to answer: not shorter than `heartbeatInterval`. The time begins anew while it decodes a
    /// large state of its worker.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// How long what was sent and still waits to be written may take to go when the client ends.
    public var closeTimeout: Duration = .seconds(1)

    /// What is put around its connections, one after the other: faults, for tests. Asked once by each client.
    package var wrapConnections: (@Sendable () -> ConnectionWrapper)?

    /// The defaults.
    public init() {}

    func check() throws(ConfigurationError) {
        try Settings.check("connectTimeout", connectTimeout)
        try Settings.check("openTimeout", openTimeout)
        try Settings.checkHeartbeat(interval: heartbeatInterval, limit: heartbeatTimeout)
        try Settings.check("closeTimeout", closeTimeout, from: .zero)
        try reconnect.check()
    }
}
