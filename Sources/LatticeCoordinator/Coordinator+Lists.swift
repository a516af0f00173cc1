public import LatticeCore

/// An instance of a hosted feature, as it was when ``Coordinator/instances`` was read.
public struct HostedInstance: Sendable, Equatable {
    /// The identifier of the feature.
    public let feature: String
    /// The key of the instance. It is empty for a feature's only instance.
    public let instance: String
    /// The status of the instance, which is also the `hostStatus` of its view model.
    public let hostStatus: HostStatus
    /// The number of connected clients that have the instance open.
    public let clients: Int

    /// A Boolean value that indicates whether a worker serves the instance.
    public var isServing: Bool {
        if case .serving = hostStatus { true } else { false }
    }
}

/// A client that was connected when ``Coordinator/clients`` was read.
public struct ConnectedClient: Sendable, Equatable {
    /// The process ID of the client, or nil if the system does not report it.
    public let processID: Int32?
    /// The user ID of the client's process, or nil if the system does not report it.
    public let userID: UInt32?
    /// When the client connected. A client that reconnected has the time of its last connection.
    public let since: ContinuousClock.Instant
    /// The identifiers of the features that the client has open, in alphabetical order.
    public let features: [String]
}

extension Coordinator {
    /// The instances that exist now, ordered by feature and key.
    ///
    /// The list is made when you read this property. It does not change afterwards and cannot be observed. To follow
    /// one instance, observe the `hostStatus` of its view model. You can read it on any thread.
    ///
    /// ```swift
    /// for instance in coordinator.instances where !instance.isServing { print(instance.feature, instance.hostStatus) }
    /// ```
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of instances and of the channels of all clients.
    public var instances: [HostedInstance] {
        registry.list(with: clientRegistry.connected)
    }

    /// The clients that are connected now, ordered by the time at which they connected.
    ///
    /// The list is made when you read this property. It does not change afterwards and cannot be observed. You can read
    /// it on any thread.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of clients and of their channels.
    public var clients: [ConnectedClient] {
        clientRegistry.connected.compactMap { ConnectedClient($0) }.sorted { $0.since < $1.since }
    }
}

extension ConnectedClient {
    /// Describes a client. Returns nil if the client has just left.
    init?(_ client: ClientSession) {
        guard let connection = client.newestConnection else { return nil }
        self.init(
            processID: connection.processID,
            userID: connection.userID,
            since: connection.since,
            features: Set(client.openKeys.map(\.feature)).sorted()
        )
    }
}

extension FeatureRegistry {
    /// Returns the instances that exist, ordered by feature and key.
    ///
    /// - Parameter clients: The connected clients.
    func list(with clients: [ClientSession]) -> [HostedInstance] {
        var counts: [Key: Int] = [:]
        for client in clients {
            for key in client.openKeys { counts[key, default: 0] += 1 }
        }
        return statuses.map { key, status in
            HostedInstance(
                feature: key.feature,
                instance: key.instance,
                hostStatus: status,
                clients: counts[key, default: 0]
            )
        }
        .sorted { ($0.feature, $0.instance) < ($1.feature, $1.instance) }
    }
}
