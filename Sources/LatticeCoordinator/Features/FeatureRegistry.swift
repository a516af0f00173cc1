import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// The features of a coordinator, each instance made when it is first asked for.
@MainActor final class FeatureRegistry {
    struct Key: Hashable, Codable {
        let feature: String
        let instance: String
    }

    private let features: [String: any HostedFeature.Type]
    private let placement: Placement
    private var hosts: [Key: any FeatureHosting] = [:]
    private var quota: InstanceQuota
    /// Of features whose states the program observes. One that has nothing to give any more goes with its instance.
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
                    "the feature identifier \"\(feature.identifier)\" has \(feature.identifier.utf8.count) bytes; give it"
                        + " 1 to \(MessageLimits.maximumIdentifier)"
                )
            }
            guard UInt32(exactly: feature.schema) != nil else {
                throw .invalid(
                    "the schema \(feature.schema) of \"\(feature.identifier)\" is not in 0 to \(UInt32.max); choose one"
                        + " that is"
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

    /// What a client wants to open, if it is hosted.
    nonisolated func key(of open: Open) throws(OpenRefused) -> Key {
        guard let feature = features[open.feature] else {
            throw OpenRefused(CoordinatorError.notHosted(open.feature, hosted: identifiers))
        }
        guard feature.schema == Int(open.schema) else {
            throw OpenRefused(
                code: .schema,
                reason: "the coordinator has schema \(feature.schema) of \"\(open.feature)\", the client"
                    + " \(open.schema); build both from the same source"
            )
        }
        return Key(feature: open.feature, instance: open.instance)
    }

    /// The host of an instance, made now if there is none.
    ///
    /// - Parameter state: What a new one starts from; nil: what the feature says.
    /// - Throws: `exists` if there is one and it is given a state.
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

    /// The same for a feature whose type is not known.
    ///
    /// - Parameters:
    ///   - client: For whom a new one is made; nil: for the coordinator's own program.
    ///   - state: An ``InitialState`` of the feature's, or nil.
    func host(
        _ feature: String,
        _ instance: String,
        for client: EventSender? = nil,
        startingFrom state: (any Sendable)? = nil
    ) throws(CoordinatorError) -> any FeatureHosting {
        guard let type = features[feature] else { throw .notHosted(feature, hosted: identifiers) }
        let key = Key(feature: feature, instance: instance)
        if let host = hosts[key] {
            // Two may ask at a time, and the state of the other one would be lost without a word.
            guard state == nil else { throw .exists(feature, instance) }
            return host
        }
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw .invalid(
                "the instance key has \(instance.utf8.count) bytes, and at most \(MessageLimits.maximumInstance) travel;"
                    + " choose a shorter one"
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

    /// The host of an instance, if it was made.
    func existingHost(_ key: Key) -> (any FeatureHosting)? { hosts[key] }

    /// Clients are gone for good that may have left something behind anywhere.
    func lose(_ client: EventSender) {
        for host in hosts.values { host.lose(client) }
    }

    /// Returns when the channels of clients have got the view states that were shown so far.
    func settle() async {
        for host in hosts.values { await host.settleSharing() }
    }

    /// Lets go of an instance: its state is gone in the worker too, its clients hear `closed`, and whoever asks for it
    /// next gets a new one. Nothing happens if it was not made.
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
            let observer = observer(of: feature, key, supervisor.configuration)
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
        _ configuration: CoordinatorConfiguration
    ) -> StateObserver<Feature.DomainState>? {
        guard let hook = configuration.stateHook(of: feature) else { return nil }
        // One that still gives the last state of an earlier instance is used again, so that the order is kept.
        if let observer = observers[key] as? StateObserver<Feature.DomainState> { return observer }
        let observer = StateObserver(key.instance, hook, logger: configuration.logger)
        observer.onForgotten = { [weak self, weak observer] in
            guard let self, hosts[key] == nil, observers[key] === observer else { return }
            observers[key] = nil
        }
        return observer
    }

    /// Instances whose states are observed, with those that were closed while a state was being given.
    var observerCount: Int { observers.count }

    /// Gives the newest states to the program, where it has older ones, and returns when it has taken them or when the
    /// limit has passed.
    func finishObserving(within limit: Duration) async {
        // Beside each other: each ends by itself.
        let tasks = observers.values.map { observer in Task { await observer.finish(within: limit) } }
        for task in tasks { await task.value }
    }
}
