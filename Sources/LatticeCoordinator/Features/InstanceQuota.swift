import LatticeCore

/// The limits of the number of instances, in all and for each client that was the first to ask for them.
struct InstanceQuota: Sendable {
    let maximum: Int
    let maximumPerClient: Int
    private var count = 0
    /// The clients for which the existing instances were created.
    private var creators: [FeatureRegistry.Key: EventSender] = [:]
    /// The number of existing instances that were created for a client.
    private var counts: [EventSender: Int] = [:]

    init(maximum: Int, maximumPerClient: Int) {
        self.maximum = maximum
        self.maximumPerClient = maximumPerClient
    }

    /// Counts a new instance.
    ///
    /// - Parameter client: The client that asked for the instance first, or nil for the coordinator's own program,
    ///   which has no limit of its own.
    /// - Throws: `CoordinatorError` with the code `tooMany` if a limit is reached.
    mutating func add(_ key: FeatureRegistry.Key, for client: EventSender?) throws(CoordinatorError) {
        guard count < maximum else { throw .tooMany(maximum) }
        if let client {
            guard counts[client, default: 0] < maximumPerClient else { throw .tooManyOfClient(maximumPerClient) }
            counts[client, default: 0] += 1
            creators[key] = client
        }
        count += 1
    }

    /// Removes an instance that was added.
    mutating func remove(_ key: FeatureRegistry.Key) {
        count -= 1
        guard let client = creators.removeValue(forKey: key), let rest = counts[client].map({ $0 - 1 }) else { return }
        counts[client] = rest == 0 ? nil : rest
    }
}
