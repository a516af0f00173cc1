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

    /// An instance costs a channel and a state, in the worker too; more than this is a client's mistake.
    static let maximumInstances = 4096

    private let features: [String: any HostedFeature.Type]
    private let placement: Placement
    private var hosts: [Key: any FeatureHosting] = [:]

    nonisolated init(
        features: [any HostedFeature.Type],
        placement: Placement
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
        do throws(SettingsFault) {
            try FeatureAdvertisement.checkRoom(for: features)
        } catch {
            throw .invalid(error.message)
        }
        self.features = known
        self.placement = placement
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

    func host<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String
    ) throws(CoordinatorError) -> FeatureHost<Feature> {
        guard let host = try host(Feature.identifier, instance) as? FeatureHost<Feature> else {
            throw .notHosted(Feature.identifier, hosted: identifiers)
        }
        return host
    }

    func host(_ feature: String, _ instance: String) throws(CoordinatorError) -> any FeatureHosting {
        guard let type = features[feature] else { throw .notHosted(feature, hosted: identifiers) }
        let key = Key(feature: feature, instance: instance)
        if let host = hosts[key] { return host }
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw .invalid(
                "the instance key has \(instance.utf8.count) bytes, and at most \(MessageLimits.maximumInstance) travel;"
                    + " choose a shorter one"
            )
        }
        guard hosts.count < Self.maximumInstances else { throw .tooMany(Self.maximumInstances) }
        guard let supervisor = placement.supervisor(of: key) else { throw .notHosted(feature, hosted: identifiers) }
        do throws(SettingsFault) {
            let host = try make(type, instance, supervisor)
            hosts[key] = host
            return host
        } catch {
            throw .invalid(error.message)
        }
    }

    /// The host of an instance, if it was made.
    func existingHost(_ key: Key) -> (any FeatureHosting)? { hosts[key] }

    /// Returns when the channels of clients have got the view states that were shown so far.
    func settle() async {
        for host in hosts.values { await host.settleSharing() }
    }

    /// Lets go of an instance: its state is gone in the worker too, its clients hear `closed`, and whoever asks for it
    /// next gets a new one. Nothing happens if it was not made.
    func release(_ key: Key) {
        hosts.removeValue(forKey: key)?.release()
    }

    private func make<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String,
        _ supervisor: WorkerSupervisor
    ) throws(SettingsFault) -> any FeatureHosting {
        try FeatureHost<Feature>(instance: instance, supervisor: supervisor)
    }
}
