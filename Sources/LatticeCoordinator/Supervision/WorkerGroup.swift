public import LatticeCore
import LatticeSession
import Logging

/// Features that have a worker of their own: what dies, hangs or hogs there changes nothing for the others.
///
/// ```swift
/// var configuration = CoordinatorConfiguration()
/// var imports = WorkerGroup("imports", of: Import.self, Convert.self)
/// imports.executable = "libexec/importer"
/// imports.environment["IMPORT_CACHE"] = "/var/cache/imports"
/// configuration.groups = [imports, WorkerGroup("thumbnails", of: Thumbnails.self)]
/// ```
///
/// All instances of a group's features share its worker, unless its `workers` says otherwise. Features that are in no
/// group share one too, which the coordinator's configuration describes.
public struct WorkerGroup: Sendable {
    /// Who shares a worker.
    public enum Workers: Sendable, Hashable {
        /// All features of the group, with all of their instances.
        case one
        /// All instances of a feature.
        case onePerFeature
        /// Nobody: each instance has a worker of its own, which is started when the instance is first asked for and
        /// leaves when that is closed. There are 1 to ``WorkerGroup/maximumWorkers`` of them at most, for each of which
        /// the coordinator keeps eight descriptors; who asks for one instance more hears
        /// `CoordinatorError.Code.tooMany`, a client `tooMany`.
        case onePerInstance(atMost: Int)
    }

    /// What the log calls it: 1 to 64 bytes without control characters, and no other group's name.
    public let name: String
    /// The identifiers of its features: one at least, each hosted by the coordinator and in no other group.
    public let features: [String]
    /// Who shares a worker: all of the group.
    public var workers = Workers.one
    /// The executable of its worker, as ``CoordinatorConfiguration/workerExecutable`` is; nil: that one.
    public var executable: String?
    /// What its worker is started with behind its own name; nil: as the coordinator's configuration says.
    public var arguments: [String]?
    /// Variables that its worker has besides those of the coordinator's configuration, or with other values.
    public var environment: [String: String] = [:]
    /// When its worker is started again; nil: as the coordinator's configuration says.
    public var restart: RestartPolicy?
    /// What its worker may use; nil: as the coordinator's configuration says. A group that has limits has all of them
    /// from here, and none of the coordinator's.
    public var limits: WorkerLimits?

    /// Groups of one coordinator. Each worker costs a process and eight descriptors.
    public static let maximumGroups = 64
    /// Workers of one group in which each instance has its own.
    public static let maximumWorkers = 256
    static let maximumName = 64

    /// A group whose worker is like that of the coordinator's configuration.
    public init(_ name: String, of features: any HostedFeature.Type...) {
        self.init(name, of: features)
    }

    /// The same for a list that is put together elsewhere.
    public init(_ name: String, of features: [any HostedFeature.Type]) {
        self.name = name
        self.features = features.map { $0.identifier }
    }
}

/// Features that share a worker, or whose instances have one each, and how that is started and watched.
struct PlacedGroup: Sendable {
    let features: [any HostedFeature.Type]
    /// The coordinator's, with what the group has of its own.
    var configuration: CoordinatorConfiguration
    /// How many workers there may be, each of one instance; nil: there is one for all.
    var maximumWorkers: Int?

    /// Empty for those that are in no group.
    var name: String { configuration.group }
}

extension CoordinatorConfiguration {
    /// Where features run: in their groups, and those that are in none together.
    ///
    /// - Throws: ``CoordinatorError`` for groups that make no sense.
    func place(_ hosted: [any HostedFeature.Type]) throws(CoordinatorError) -> [PlacedGroup] {
        guard groups.count <= WorkerGroup.maximumGroups else {
            throw .invalid("there are \(groups.count) worker groups; choose at most \(WorkerGroup.maximumGroups)")
        }
        var rest = hosted
        var placed: [PlacedGroup] = []
        for group in groups {
            try check(group, besides: Set(placed.map(\.name)))
            var features: [any HostedFeature.Type] = []
            for identifier in group.features {
                guard let place = rest.firstIndex(where: { $0.identifier == identifier }) else {
                    let isHosted = hosted.contains { $0.identifier == identifier }
                    throw group.fault(
                        isHosted
                            ? "\"\(identifier)\" is in it twice, or in another group too; name it once"
                            : "\"\(identifier)\" is not hosted; host it, or leave it out"
                    )
                }
                features.append(rest.remove(at: place))
            }
            placed += group.divide(features, configuration(of: group))
        }
        // Also with no features at all: a coordinator has a worker.
        if !rest.isEmpty || placed.isEmpty {
            placed.insert(PlacedGroup(features: rest, configuration: self), at: 0)
        }
        return placed
    }

    private func check(_ group: WorkerGroup, besides names: Set<String>) throws(CoordinatorError) {
        guard 1...WorkerGroup.maximumName ~= group.name.utf8.count else {
            throw group.fault("its name has \(group.name.utf8.count) bytes; choose 1 to \(WorkerGroup.maximumName)")
        }
        guard !group.name.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7f...0x9f ~= $0.value }) else {
            throw group.fault("its name has a control character; leave it out")
        }
        guard !names.contains(group.name) else { throw group.fault("another one has its name; choose two") }
        guard !group.features.isEmpty else { throw group.fault("it has no features; name one at least") }
        if case .onePerInstance(let limit) = group.workers, !(1...WorkerGroup.maximumWorkers ~= limit) {
            throw group.fault("it may have \(limit) workers; choose 1 to \(WorkerGroup.maximumWorkers)")
        }
        do throws(SettingsFault) {
            try group.restart?.check()
            try group.limits?.check()
        } catch {
            throw group.fault(error.message)
        }
    }

    private func configuration(of group: WorkerGroup) -> CoordinatorConfiguration {
        var configuration = self
        configuration.workerExecutable = group.executable ?? workerExecutable
        configuration.workerArguments = group.arguments ?? workerArguments
        configuration.workerEnvironment.merge(group.environment) { $1 }
        configuration.restart = group.restart ?? restart
        configuration.limits = group.limits ?? limits
        configuration.logger[metadataKey: "group"] = "\(group.name)"
        configuration.group = group.name
        return configuration
    }
}

extension WorkerGroup {
    fileprivate func divide(
        _ features: [any HostedFeature.Type],
        _ configuration: CoordinatorConfiguration
    ) -> [PlacedGroup] {
        switch workers {
        case .one: [PlacedGroup(features: features, configuration: configuration)]
        case .onePerFeature: features.map { PlacedGroup(features: [$0], configuration: configuration) }
        case .onePerInstance(let limit):
            [PlacedGroup(features: features, configuration: configuration, maximumWorkers: limit)]
        }
    }

    fileprivate func fault(_ problem: String) -> CoordinatorError {
        .invalid("the worker group \"\(name)\": \(problem)")
    }
}
