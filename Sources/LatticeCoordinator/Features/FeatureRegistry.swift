import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// The hosted features of a coordinator and their instances. An instance is created when it is first asked for.
@MainActor final class FeatureRegistry {
    /// The name of an instance: the identifier of its feature, and its key.
    struct Key: Hashable, Codable {
        let feature: String
        let instance: String
    }

    private let features: [String: any HostedFeature.Type]
    private let placement: Placement
    private var hosts: [Key: any FeatureHosting] = [:]
    private var quota: InstanceQuota
    /// The observers of instances whose states the program observes. An observer is removed together with its instance,
    /// unless it is still delivering a state.
    private var observers: [Key: any StateObserving] = [:]

    nonisolated init(
        features: [any HostedFeature.Type],
        placement: Placement,
        quota: InstanceQuota = CoordinatorConfiguration().quota
    ) throws(CoordinatorError) {
        var known: [String: any HostedFeature.Type] = [:]
        for feature in features {
            guard 1...MessageLimits.maximumIdentifier ~= feature.identifier.utf8.count else {
                throw .invalid(
                    "The feature identifier \"\(feature.identifier)\" has \(feature.identifier.utf8.count) bytes. Give it"
                        + " 1 to \(MessageLimits.maximumIdentifier)."
                )
            }
            guard UInt32(exactly: feature.schema) != nil else {
                throw .invalid(
                    "The schema of \"\(feature.identifier)\" is \(feature.schema). Choose a value from 0 to"
                        + " \(UInt32.max)."
                )
            }
            guard known.updateValue(feature, forKey: feature.identifier) == nil else {
                throw .duplicate(feature.identifier)
            }
        }
        do throws(ConfigurationError) {
            try FeatureAdvertisement.checkRoom(for: features)
        } catch {
            throw .invalid(error.message)
        }
        self.features = known
        self.placement = placement
        self.quota = quota
    }

    nonisolated var identifiers: [String] { features.keys.sorted() }

    /// Returns the key of the instance that a client wants to open. Throws the refusal if its feature is not hosted or
    /// has another schema.
    nonisolated func key(of open: Open) throws(OpenRefused) -> Key {
        guard let feature = features[open.feature] else {
            throw OpenRefused(CoordinatorError.notHosted(open.feature, hosted: identifiers))
        }
        guard feature.schema == Int(open.schema) else {
            throw OpenRefused(
                code: .schema,
                reason: "The coordinator has schema \(feature.schema) of \"\(open.feature)\", and the client has schema"
                    + " \(open.schema). Build both from the same source."
            )
        }
        return Key(feature: open.feature, instance: open.instance)
    }

    /// Returns the host of an instance. The host is created if it does not exist.
    ///
    /// - Parameter state: The state that a new instance starts from, or nil for the initial state of the feature.
    /// - Throws: `CoordinatorError` with the code `exists` if the instance exists and `state` is not nil.
    func host<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String,
        startingFrom state: InitialState<Feature.DomainState>? = nil
    ) throws(CoordinatorError) -> FeatureHost<Feature> {
        guard let host = try host(Feature.identifier, instance, startingFrom: state) as? FeatureHost<Feature> else {
            throw .notHosted(Feature.identifier, hosted: identifiers)
        }
        return host
    }

    /// Returns the host of an instance of a feature whose type is not known statically.
    ///
    /// - Parameters:
    ///   - feature: The identifier of the feature.
    ///   - instance: The key of the instance.
    ///   - client: The client for which a new host is created, or nil for the coordinator's own program.
    ///   - state: An ``InitialState`` of the feature, or nil.
    func host(
        _ feature: String,
        _ instance: String,
        for client: EventSender? = nil,
        startingFrom state: (any Sendable)? = nil
    ) throws(CoordinatorError) -> any FeatureHosting {
        guard let type = features[feature] else { throw .notHosted(feature, hosted: identifiers) }
        let key = Key(feature: feature, instance: instance)
        if let host = hosts[key] {
            // Two callers may ask at the same time, and the state of one of them would be lost silently.
            guard state == nil else { throw .exists(feature, instance) }
            return host
        }
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw .invalid(
                "The instance key has \(instance.utf8.count) bytes, and the maximum is \(MessageLimits.maximumInstance)."
                    + " Choose a shorter one."
            )
        }
        try quota.add(key, for: client)
        do throws(CoordinatorError) {
            guard let supervisor = try placement.place(key) else { throw .notHosted(feature, hosted: identifiers) }
            let host = try make(type, instance, supervisor, state)
            host.onIdle = { [weak self] in self?.release(key) }
            hosts[key] = host
            return host
        } catch {
            quota.remove(key)
            placement.release(key)
            throw error
        }
    }

    /// The status of each instance.
    var statuses: [(Key, HostStatus)] { hosts.map { ($0.key, $0.value.hostStatus) } }

    /// Returns the host of an instance, or nil if it does not exist.
    func existingHost(_ key: Key) -> (any FeatureHosting)? { hosts[key] }

    /// Tells all hosts that a client will not come back. It may have unfinished events at any of them.
    func lose(_ client: EventSender) {
        for host in hosts.values { host.lose(client) }
    }

    /// Waits until the channels of clients have received the view states that were published so far.
    func settle() async {
        for host in hosts.values { await host.settleSharing() }
    }

    /// Closes an instance. Its state is lost, also in the worker, and its clients get `closed`. A later request creates
    /// a new instance. The function does nothing if the instance does not exist.
    func release(_ key: Key) {
        guard let host = hosts.removeValue(forKey: key) else { return }
        host.release()
        observers[key]?.forget()
        if observers[key]?.isRunning == false { observers[key] = nil }
        quota.remove(key)
        placement.release(key)
    }

    private func make<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String,
        _ supervisor: WorkerSupervisor,
        _ state: (any Sendable)?
    ) throws(CoordinatorError) -> any FeatureHosting {
        do throws(ConfigurationError) {
            let state = state as? InitialState<Feature.DomainState>
            let key = Key(feature: feature.identifier, instance: instance)
            let observer = observer(of: feature, key, supervisor)
            let host = try FeatureHost<Feature>(
                instance: instance,
                supervisor: supervisor,
                startingFrom: state,
                observer: observer
            )
            if let observer { observers[key] = observer }
            return host
        } catch {
            throw .invalid(error.message)
        }
    }

    private func observer<Feature: HostedFeature>(
        of feature: Feature.Type,
        _ key: Key,
        _ supervisor: WorkerSupervisor
    ) -> StateObserver<Feature.DomainState>? {
        guard let hook = supervisor.configuration.stateHook(of: feature) else { return nil }
        // An observer that still delivers the last state of an earlier instance is used again, so that the order is
        // kept.
        if let observer = observers[key] as? StateObserver<Feature.DomainState> { return observer }
        let instance = RuntimeEvent.Instance(feature: key.feature, key: key.instance, member: supervisor.member)
        let observer = StateObserver(instance, hook, events: supervisor.events)
        observer.onForgotten = { [weak self, weak observer] in
            guard let self, hosts[key] == nil, observers[key] === observer else { return }
            observers[key] = nil
        }
        return observer
    }

    /// The number of instances whose states are observed, including closed ones whose last state is being delivered.
    var observerCount: Int { observers.count }

    /// Delivers the newest states to the program where it has older ones, and waits until the program has taken them.
    ///
    /// - Parameter timeout: The maximum time to wait.
    func finishObserving(within timeout: Duration) async {
        // All observers finish concurrently.
        let tasks = observers.values.map { observer in Task { await observer.finish(within: timeout) } }
        for task in tasks { await task.value }
    }
}
