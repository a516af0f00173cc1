import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// The hosted features of a coordinator and their instances. An instance is created when it is first asked for.
///
/// You can use it on any thread, so that clients open instances while the main actor is busy. The code of features runs
/// outside the lock.
final class FeatureRegistry: Sendable {
    /// The name of an instance: the identifier of its feature, and its key.
    struct Key: Hashable, Codable {
        let feature: String
        let instance: String
    }

    private enum Instance {
        /// A caller creates the host. The others wait until that has succeeded or failed.
        case creating(OneShot<Void>)
        /// The instance was closed while a caller created its host, which then ends the host.
        case unwanted(OneShot<Void>)
        /// The instance exists.
        case open(any FeatureHosting)
        /// The instance is being closed. A new one under its key is created after that.
        case closing(OneShot<Void>)
    }

    private struct Core {
        var instances: [Key: Instance] = [:]
        var quota: InstanceQuota
        /// The observers of instances whose states the program observes. An observer is removed together with its
        /// instance, unless it is still delivering a state.
        var observers: [Key: any StateObserving] = [:]

        func host(_ key: Key) -> (any FeatureHosting)? {
            if case .open(let host) = instances[key] { host } else { nil }
        }
    }

    let features: [String: any HostedFeature.Type]
    private let placement: Placement
    private let core: Locked<Core>

    init(
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
        core = Locked(Core(quota: quota))
    }

    var identifiers: [String] { features.keys.sorted() }

    /// Returns the key of the instance that a client wants to open. Throws the refusal if its feature is not hosted or
    /// has another schema.
    func key(of open: Open) throws(OpenRefused) -> Key {
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

    /// Returns the host of an instance. The host is created if it does not exist. The caller is a user of the instance
    /// until it calls `endUse`.
    ///
    /// - Parameter state: The state that a new instance starts from, or nil for the initial state of the feature.
    /// - Throws: `CoordinatorError`, with the code `exists` if the instance exists and `state` is not nil.
    ///   `CancellationError` if the calling task is cancelled while another one creates or closes the instance.
    func host<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String,
        startingFrom state: InitialState<Feature.DomainState>? = nil
    ) async throws -> FeatureHost<Feature> {
        let host = try await host(Feature.identifier, instance, startingFrom: state)
        guard let known = host as? FeatureHost<Feature> else {
            host.endUse()
            throw CoordinatorError.notHosted(Feature.identifier, hosted: identifiers)
        }
        return known
    }

    /// Returns the host of an instance of a feature whose type is not known statically. The caller is a user of the
    /// instance until it calls `endUse`.
    ///
    /// - Parameters:
    ///   - feature: The identifier of the feature.
    ///   - instance: The key of the instance.
    ///   - client: The client for which a new host is created, or nil for the coordinator's own program.
    ///   - state: An ``InitialState`` of the feature, or nil.
    /// - Throws: As above.
    func host(
        _ feature: String,
        _ instance: String,
        for client: EventSender? = nil,
        startingFrom state: (any Sendable)? = nil
    ) async throws -> any FeatureHosting {
        guard let type = features[feature] else { throw CoordinatorError.notHosted(feature, hosted: identifiers) }
        let key = Key(feature: feature, instance: instance)
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw CoordinatorError.invalid(
                "The instance key has \(instance.utf8.count) bytes, and the maximum is \(MessageLimits.maximumInstance)."
                    + " Choose a shorter one."
            )
        }
        while true {
            switch try claim(key, for: client, startsFromState: state != nil) {
            case .open(let host): return host
            case .creating(let done), .unwanted(let done), .closing(let done): try await done.value
            case nil:
                // This caller creates the host.
                if let host = try create(type, key, state) { return host }
            }
        }
    }

    /// Begins to use an instance, or to create it if it does not exist.
    ///
    /// - Returns: The instance, or nil if the caller creates it.
    private func claim(
        _ key: Key,
        for client: EventSender?,
        startsFromState: Bool
    ) throws(CoordinatorError) -> Instance? {
        try core.withLock { core throws(CoordinatorError) in
            switch core.instances[key] {
            case .creating?, .open?:
                // Two callers may ask at the same time, and the state of one of them would be lost silently.
                guard !startsFromState else { throw .exists(key.feature, key.instance) }
            case .unwanted?, .closing?: break
            case nil:
                try core.quota.add(key, for: client)
                core.instances[key] = .creating(OneShot())
                return nil
            }
            // Under the lock, so that an idle instance is not closed between these steps.
            core.host(key)?.beginUse()
            return core.instances[key]
        }
    }

    /// Creates the host of an instance for a caller that has claimed it.
    ///
    /// - Returns: The host with the caller as a user, or nil if the instance was closed meanwhile.
    private func create(
        _ type: any HostedFeature.Type,
        _ key: Key,
        _ state: (any Sendable)?
    ) throws(CoordinatorError) -> (any FeatureHosting)? {
        let host: any FeatureHosting
        do throws(CoordinatorError) {
            guard let supervisor = try placement.place(key) else {
                throw .notHosted(key.feature, hosted: identifiers)
            }
            host = try make(type, key, supervisor, state)
        } catch {
            forget(key)
            throw error
        }
        host.beginUse()
        let created = core.withLock { core -> OneShot<Void>? in
            guard case .creating(let created) = core.instances[key] else { return nil }
            core.instances[key] = .open(host)
            return created
        }
        guard let created else {
            host.release()
            forget(key)
            return nil
        }
        created.complete()
        return host
    }

    /// Removes an instance that does not exist any more, so that a new one can be created under its key.
    private func forget(_ key: Key) {
        let observer = core.withLock { $0.observers[key] }
        let isObserverIdle = observer?.forget() ?? false
        placement.release(key)
        let over = core.withLock { core -> OneShot<Void>? in
            if isObserverIdle { core.observers[key] = nil }
            core.quota.remove(key)
            switch core.instances.removeValue(forKey: key) {
            case .creating(let over)?, .unwanted(let over)?, .closing(let over)?: return over
            case .open?, nil: return nil
            }
        }
        over?.complete()
    }

    /// The status of each instance.
    var statuses: [(Key, HostStatus)] { hosts.map { ($0, $1.hostStatus) } }

    /// The instances that exist, with their hosts, in no order.
    var hosts: [(Key, any FeatureHosting)] {
        core.withLock { core in core.instances.keys.compactMap { key in core.host(key).map { (key, $0) } } }
    }

    /// Returns the host of an instance, or nil if it does not exist.
    func existingHost(_ key: Key) -> (any FeatureHosting)? { core.withLock { $0.host(key) } }

    /// Tells all hosts that a client will not come back. It may have unfinished events at any of them.
    func lose(_ client: EventSender) {
        for (_, host) in hosts { host.lose(client) }
    }

    /// Waits until the channels of clients have received the view states that were published so far.
    func settle() async {
        for (_, host) in hosts { await host.settleSharing() }
    }

    /// Closes an instance. Its state is lost, also in the worker, and its clients get `closed`. A later request creates
    /// a new instance. The function does nothing if the instance does not exist.
    ///
    /// - Parameter condition: Returns whether to close the instance with this host. No user is added meanwhile. Nil
    ///   closes any instance, also one that is being created.
    /// - Returns: A Boolean value that indicates whether the instance was closed.
    @discardableResult
    func release(_ key: Key, if condition: ((any FeatureHosting) -> Bool)? = nil) -> Bool {
        let host = core.withLock { core -> (any FeatureHosting)? in
            switch core.instances[key] {
            case .open(let host)?:
                guard condition?(host) ?? true else { return nil }
                core.instances[key] = .closing(OneShot())
                return host
            case .creating(let created)?: if condition == nil { core.instances[key] = .unwanted(created) }
            case .unwanted?, .closing?, nil: break
            }
            return nil
        }
        guard let host else { return false }
        host.release()
        forget(key)
        return true
    }

    private func make<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ key: Key,
        _ supervisor: WorkerSupervisor,
        _ state: (any Sendable)?
    ) throws(CoordinatorError) -> any FeatureHosting {
        let observer = observer(of: feature, key, supervisor)
        do throws(ConfigurationError) {
            let host = try FeatureHost<Feature>(
                instance: key.instance,
                supervisor: supervisor,
                startingFrom: state as? InitialState<Feature.DomainState>,
                observer: observer,
                onIdle: { [weak self] host in self?.release(key) { $0 === host && $0.isIdle } ?? false }
            )
            if let observer { core.withLock { $0.observers[key] = observer } }
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
        let known = core.withLock { $0.observers[key] }
        if let observer = known as? StateObserver<Feature.DomainState> { return observer }
        let instance = RuntimeEvent.Instance(feature: key.feature, key: key.instance, member: supervisor.member)
        return StateObserver(instance, hook, events: supervisor.events) { [weak self] in self?.forget($0, of: key) }
    }

    /// Removes an observer that has delivered the last state of a closed instance.
    private func forget(_ observer: any StateObserving, of key: Key) {
        core.withLock { core in
            switch core.instances[key] {
            // A new instance may use it.
            case .creating?, .unwanted?, .open?: break
            case .closing?, nil: if core.observers[key] === observer { core.observers[key] = nil }
            }
        }
    }

    /// The number of instances whose states are observed, including closed ones whose last state is being delivered.
    var observerCount: Int { core.withLock(\.observers.count) }

    /// Delivers the newest states to the program where it has older ones, and waits until the program has taken them.
    ///
    /// - Parameter timeout: The maximum time to wait.
    func finishObserving(within timeout: Duration) async {
        let observers = core.withLock { Array($0.observers.values) }
        await withDiscardingTaskGroup { group in
            for observer in observers { group.addTask { await observer.finish(within: timeout) } }
        }
    }
}
