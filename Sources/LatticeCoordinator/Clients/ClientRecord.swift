import Synchronization

/// What a coordinator keeps of one client, connected or not: the channels it opened.
final class ClientRecord: Sendable {
    private struct Core {
        var mirrors: [FeatureRegistry.Key: Mirror] = [:]
        /// When its connection broke; nil while it is connected.
        var absentSince: ContinuousClock.Instant?
    }

    private let core = Mutex(Core())

    var mirrors: [Mirror] { core.withLock { Array($0.mirrors.values) } }

    /// The mirror of a feature, made if this is the first time.
    func mirror(_ key: FeatureRegistry.Key, make: () -> Mirror) -> Mirror {
        core.withLock { core in
            if let mirror = core.mirrors[key] { return mirror }
            let mirror = make()
            core.mirrors[key] = mirror
            return mirror
        }
    }

    func remove(_ mirror: Mirror) {
        core.withLock { core in
            if core.mirrors[mirror.key] === mirror { core.mirrors[mirror.key] = nil }
        }
    }

    func connected() {
        core.withLock { $0.absentSince = nil }
    }

    func disconnected(at now: ContinuousClock.Instant) {
        for mirror in mirrors { mirror.unlink() }
        core.withLock { $0.absentSince = now }
    }

    func isExpired(at now: ContinuousClock.Instant, after retention: Duration) -> Bool {
        core.withLock { core in
            core.absentSince.map { $0.duration(to: now) >= retention } ?? false
        }
    }
}
