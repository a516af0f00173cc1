import LatticeCore

/// How many instances there may be, and how many of them one client may have had made.
struct InstanceQuota: Sendable {
    let maximum: Int
    let maximumPerClient: Int
    private var count = 0
    /// Instances by the client for which they were made, as long as they are there.
    private var makers: [FeatureRegistry.Key: EventSender] = [:]
    private var counts: [EventSender: Int] = [:]

    init(maximum: Int, maximumPerClient: Int) {
        self.maximum = maximum
        self.maximumPerClient = maximumPerClient
    }

    /// Counts a new instance.
    ///
    /// - Parameter client: Who asked for it first; nil: the coordinator's own program, which has no limit of its own.
    mutating func add(_ key: FeatureRegistry.Key, for client: EventSender?) throws(CoordinatorError) {
        guard count < maximum else { throw .tooMany(maximum) }
        if let client {
            guard counts[client, default: 0] < maximumPerClient else { throw .tooManyOfClient(maximumPerClient) }
            counts[client, default: 0] += 1
            makers[key] = client
        }
        count += 1
    }

    /// An instance that was added is gone.
    mutating func remove(_ key: FeatureRegistry.Key) {
        count -= 1
        guard let client = makers.removeValue(forKey: key), let rest = counts[client].map({ $0 - 1 }) else { return }
        counts[client] = rest == 0 ? nil : rest
    }
}
