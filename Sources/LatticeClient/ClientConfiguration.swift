/// How a client connects and watches its connection.
public struct ClientConfiguration: Sendable {
    public var reconnect = ReconnectPolicy()
    /// How often the coordinator is asked whether it is there.
    public var heartbeatInterval: Duration = .seconds(1)
    /// How long it may take to answer.
    public var heartbeatLimit: Duration = .seconds(10)
    /// How long what was sent and still waits to be written may take to go when the client ends.
    public var closeLimit: Duration = .seconds(1)

    public init() {}
}
