import LatticeConcurrency
public import LatticeCore
package import LatticeHosting
public import LatticeSession
package import LatticeTransport
import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Owns the view models of hosted features, keeps their workers running, and shares the view states with clients.
///
/// One is had through `withCoordinator`, which also stops it.
public final class Coordinator: Sendable {
    /// How long the end waits for a log that takes what it is given slowly, or not at all.
    private static let logTimeout: Duration = .milliseconds(500)
    /// How long the end waits for those that observe states to take the last ones.
    private static let observeTimeout: Duration = .seconds(5)

    /// Threads that a coordinator has at least, besides one for each worker: those of its event loop, signals, timers,
    /// log and own tasks, and one of Swift's.
    private static let neededThreads = 6

    /// Where clients connect, or nil if none can.
    public let socketPath: String?
    /// Events that have ended their worker twice, and are not sent again by themselves.
    public let quarantine = Quarantine()
    /// What an actor system is made with, by which this coordinator calls actors elsewhere and serves its own. It knows
    /// those of all workers and clients, and passes on their calls of each other.
    public let node = ActorNode(isHub: true, title: "coordinator")

    private let configuration: CoordinatorConfiguration
    private let log: LogQueue
    private let reactor: Reactor
    private let placement: Placement
    private let registry: FeatureRegistry
    private let clients: ClientRegistry
    private let listener: SocketListener?
    private let pathStatus: PathStatus?

    init(
        hosting features: [any HostedFeature.Type],
        listeningAt path: String?,
        configuration: CoordinatorConfiguration
    ) throws {
        try configuration.check()
        log = LogQueue()
        var configuration = configuration
        // Whatever logs from here on does not wait for it.
        configuration.logger = log.logger(configuration.logger)
        self.configuration = configuration
        node.onNote { [logger = configuration.logger] in logger.warning("\($0)") }
        for problem in ProcessSurroundings.problems { configuration.logger.warning("\(problem)") }
        let placed = try configuration.place(features)
        let groups = placed.groups
        let workers = groups.map {
            ($0.initialWorkers ?? $0.maximumWorkers ?? 1) * ($0.configuration.standby ? 2 : 1)
        }.reduce(0, +)
        try Self.checkThreads(workers: workers)
        let wanted = DescriptorBudget.wantedLimit(workers: workers)
        let openFiles = OpenFiles.raiseLimit(to: wanted) ?? wanted
        reactor = try Reactor.start(name: "lattice-coord")
        let memory = EventSender.random()
        let life = ProcessIdentity.makeLife()
        do {
            let trees = placed.trees.map { [logger = configuration.logger] state in
                GroupSupervisor(state, logger: logger, seed: .random(in: 0...(.max)))
            }
            let factory = SupervisorFactory(
                reactor: reactor,
                log: log,
                quarantine: quarantine,
                life: life,
                trees: trees,
                node: node
            )
            placement = Placement(try groups.map { try factory.place($0) }, trees: trees)
            for group in groups {
                guard let count = group.initialWorkers else { continue }
                _ = try placement.setWorkers(of: group.name, to: count)
            }
            registry = try FeatureRegistry(features: features, placement: placement, quota: configuration.quota)
            let budget = DescriptorBudget(
                limit: openFiles,
                open: OpenFiles.count(below: openFiles),
                workers: workers
            )
            guard path == nil || budget.clients > 0 else { throw CoordinatorError.noFiles(openFiles, workers: workers) }
            clients = ClientRegistry(
                registry: registry,
                features: features,
                memory: memory,
                life: life,
                configuration: configuration,
                budget: budget,
                node: node
            )
            socketPath = path
            pathStatus = path.map { [logger = configuration.logger] path in PathStatus(path: path, logger: logger) }
            let wrap = configuration.wrapClients?()
            listener = try path.map { [clients, reactor, pathStatus] path in
                try Result {
                    try SocketListener(
                        path: SocketPath(path),
                        reactor: reactor,
                        letsIn: false,
                        onForeign: { clients.acceptForeign($0) },
                        onPathNews: { pathStatus?.hear($0) },
                        onConnection: { clients.accept(wrap?($0) ?? $0) }
                    )
                }.mapError(CoordinatorError.listening).get()
            }
        } catch {
            reactor.stop()
            throw error
        }
    }

    /// Swift waits without end for a thread that it does not get: so this is asked before anything depends on it.
    private static func checkThreads(workers: Int) throws(CoordinatorError) {
        do throws(SystemThread.NoRoom) {
            try SystemThread.checkRoom(for: neededThreads + workers)
        } catch {
            throw .noThreads(String(cString: strerror(error.errno)), workers: workers)
        }
    }

    /// What reads the sockets, for those who measure.
    package var eventLoop: any EventLoop { reactor }

    /// Why new clients do not find this coordinator at ``socketPath``, or nil if they do. Any thread.
    ///
    /// Once a second a coordinator looks whether its socket and the lock beside it were deleted or replaced, makes them
    /// again and logs a warning. If another one serves there by then, or they cannot be made again, this is the error
    /// that is logged, and those that are connected are served on. The path is taken again when nobody else has it.
    public var listeningError: CoordinatorError? { pathStatus?.error }

    /// Where the sockets of this user's programs of a name belong: a directory `name` in `XDG_RUNTIME_DIR` (on Apple's
    /// systems in the user's temporary directory), else `/tmp/name-UID`.
    ///
    /// A variable that is relative, or that names no directory, is passed over. The directory `name` need not be there:
    /// a coordinator that listens in it makes it, and refuses one that others could change. `Client` has the same
    /// function, so that both meet.
    ///
    /// - Throws: `CoordinatorError` if the variable names a directory of somebody else, as it does after `su`.
    public static func runtimeDirectory(_ name: String) throws -> String {
        try Result { try SocketPath.runtimeDirectory(name) }.mapError(CoordinatorError.noPlace).get()
    }

    /// The view model of a hosted feature; the same one each time for the same instance.
    ///
    /// Returns when a worker serves the feature, so that its view state is the worker's; within `openTimeout`.
    ///
    /// - Parameter instance: Which of several independent states of the feature: at most 255 bytes, empty by default.
    ///   From then on it is there until `close`.
    /// - Throws: `CoordinatorError` when the feature is not hosted, when there are too many instances, when the
    ///   supervisor has given up on the worker, or when none serves in time; `CancellationError` when the calling task
    ///   is cancelled.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = ""
    ) async throws -> ViewModel<Feature> {
        try await viewModel(feature, instance, startingFrom: nil)
    }

    /// The same for a new instance that is to have a state of its own from the start.
    ///
    /// To restore instances of an earlier coordinator, call this in ``CoordinatorConfiguration/restoring``. Later, a
    /// client may have opened the instance before.
    ///
    /// - Parameters:
    ///   - instance: Which of several independent states of the feature: at most 255 bytes.
    ///   - initialDomainState: The state that the instance starts from in place of that of the feature's
    ///     `initialDomainState(in:)`.
    /// - Throws: What `viewModel(_:instance:)` throws; `CoordinatorError` with `exists` if the instance is there
    ///   already, which keeps its state; `CoordinatorError` if the state cannot be encoded, or is larger than
    ///   ``CoordinatorConfiguration/maximumStateBytes``.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String,
        initialDomainState: Feature.DomainState
    ) async throws -> ViewModel<Feature> {
        let maximum = configuration.maximumStateBytes
        let state: InitialState<Feature.DomainState>
        do throws(ConfigurationError) {
            state = try await .coding(initialDomainState, of: Feature.identifier, maximum: maximum)
        } catch {
            throw CoordinatorError.invalid(error.message)
        }
        return try await viewModel(feature, instance, startingFrom: state)
    }

    @MainActor private func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String,
        startingFrom state: InitialState<Feature.DomainState>?
    ) async throws -> ViewModel<Feature> {
        let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
        let host = try registry.host(feature, instance, startingFrom: state)
        host.beginUse()
        do {
            let viewModel = try await viewModel(of: host)
            host.keep()
            host.endUse()
            return viewModel
        } catch {
            host.endUse()
            // Who asks next may do so with another state, or when a worker can be had.
            if host.isFutile, registry.existingHost(key) === host { registry.release(key) }
            throw error
        }
    }

    @MainActor private func viewModel<Feature: HostedFeature>(
        of host: FeatureHost<Feature>
    ) async throws -> ViewModel<Feature> {
        do {
            guard try await host.whenOpened(within: configuration.openTimeout) else {
                let status = host.viewModel.hostStatus
                throw CoordinatorError.notOpened(Feature.identifier, configuration.openTimeout, status)
            }
        } catch let end as ChannelEnd {
            throw CoordinatorError.workerFailed(Feature.identifier, end.reason)
        }
        return host.viewModel
    }

    /// Lets go of an instance: its state is gone, in the worker too, its effects are cancelled, and a worker that it
    /// has for itself leaves. Whoever asks for it next gets a new one.
    ///
    /// View models of it, here and in clients, keep what they show, and their `hostStatus` is `failed`. Events that
    /// are running end `cancelled`, and those that come later `rejected` with the code `closed`. Nothing happens if
    /// there is no such instance.
    @MainActor public func close<Feature: HostedFeature>(_ feature: Feature.Type, instance: String = "") {
        registry.release(FeatureRegistry.Key(feature: Feature.identifier, instance: instance))
    }

    /// A channel to the worker without a view model: what comes is delivered on the event loop.
    ///
    /// - Parameter instance: One that no view model is asked for: the worker has one state for each channel.
    /// - Throws: `CoordinatorError` when the feature is not hosted, or each of its instances has a worker of its own.
    package func openChannel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = "",
        deliver: @escaping @Sendable (Delivery<Feature.DomainState>) -> Void
    ) throws -> FeatureClient<Feature.Action, Feature.DomainState> {
        let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
        guard let supervisor = placement.supervisor(of: key) else {
            throw CoordinatorError.notHosted(Feature.identifier, hosted: registry.identifiers)
        }
        return FeatureClient(
            try ChannelClient.Subject(feature, in: supervisor.configuration.context(of: feature, instance: instance)),
            in: supervisor.channels,
            sender: supervisor.sender,
            limits: configuration.channelLimits,
            deliver: deliver
        )
    }

    /// Sends clients of a feature view states without a worker's having a part in it, for those who measure that.
    @MainActor package func publisher<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String = ""
    ) throws -> (Feature.ViewState) throws -> Void {
        let host = try registry.host(feature, instance)
        return { try host.publish($0) }
    }

    /// The domain state of a feature as its worker last acknowledged it: what a new worker would go on from.
    ///
    /// - Returns: nil if the feature is not hosted, or no worker has served this instance yet, unless it was given its
    ///   first state here.
    @MainActor public func acknowledgedState<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String = ""
    ) -> Feature.DomainState? {
        let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
        return (registry.existingHost(key) as? FeatureHost<Feature>)?.acknowledgedState
    }

    /// Starts the workers again whose supervisors have given up on them (`hostStatus` is `failed`), and does nothing
    /// for others: a worker that hangs is ended by its ``WorkerLimits``.
    ///
    /// Returns when events are taken again: what is sent from then on waits for the new workers.
    ///
    /// - Returns: For each worker what was done, or why nothing was.
    /// - Complexity: O(*n* log *n*), where *n* is the number of instances that are open.
    @discardableResult
    public func resetWorker() async -> [WorkerReset] {
        await reset { await placement.forEach($0) }
    }

    /// The same for the worker of one feature, and of each feature that shares it.
    ///
    /// - Parameters:
    ///   - feature: One of those that are hosted; for others it does nothing.
    ///   - instance: Whose worker, where each instance has its own; nil: those of all.
    /// - Returns: As ``resetWorker()``; nothing for a feature or an instance without a worker.
    @discardableResult
    public func resetWorker<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String? = nil
    ) async -> [WorkerReset] {
        await reset { reset in
            guard let instance else { return await placement.forEach(of: Feature.identifier, reset) }
            let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
            if let supervisor = placement.supervisor(of: key) { await reset(supervisor) }
        }
    }

    /// - Parameter forEach: Calls a function with each supervisor whose worker is to be reset.
    private func reset(
        _ forEach: (@escaping @Sendable (WorkerSupervisor) async -> Void) async -> Void
    ) async -> [WorkerReset] {
        let resets = Locked<[WorkerReset]>([])
        await forEach { supervisor in
            let reset = await supervisor.reset()
            resets.withLock { $0.append(reset) }
        }
        await viewModelsHear()
        return resets.withLock(\.self)
    }

    /// Changes how many workers a group without features has, while they run.
    ///
    /// New ones start at once. Those that are too many take no calls any more and leave when what they run has ended,
    /// within ``WorkerGroup/shutdownTimeout``; those that were started last leave first.
    ///
    /// - Parameters:
    ///   - group: The name of a group made by ``WorkerGroup/init(_:workers:)``.
    ///   - count: 0 to ``WorkerGroup/maximumWorkers``.
    /// - Throws: `CoordinatorError` with `invalid` for any other group and any other number, and when the coordinator
    ///   stops.
    public func setWorkers(of group: String, to count: Int) throws {
        guard 0...WorkerGroup.maximumWorkers ~= count else {
            throw CoordinatorError.invalid(
                "a group may have 0 to \(WorkerGroup.maximumWorkers) workers, and \(count) were asked for; choose fewer"
            )
        }
        guard try placement.setWorkers(of: group, to: count) else {
            throw CoordinatorError.invalid(
                "there is no group \"\(group)\" without features, whose workers could be counted; make it by"
                    + " WorkerGroup(_:workers:)"
            )
        }
    }

    /// View models hear of a reset over the reactor, then the main actor.
    private func viewModelsHear() async {
        await reactor.endOfTick()
        await MainActor.run {}
    }

    func run() async {
        await placement.run()
    }

    /// Restores what the configuration says, then lets clients in.
    func restore() async throws {
        try await configuration.restoring?(self)
        listener?.letIn()
    }

    /// Stops in order: no new clients, what runs may end, the worker leaves, the clients hear goodbye.
    func stop() async {
        listener?.close()
        await placement.stop()
        // What the worker's end brought about is on its way to the clients: over the reactor, then the main actor, then
        // whoever encodes.
        await reactor.endOfTick()
        await registry.settle()
        await registry.finishObserving(within: Self.observeTimeout)
        await clients.stop(within: configuration.teardownTimeout)
        await log.flush(within: Self.logTimeout)
    }

    /// How long a stop takes at most, if nothing blocks the main actor.
    var stopTimeout: Duration {
        // The workers, then what observes states, the clients and the log.
        configuration.placementStopTimeout + (configuration.stateHooks.isEmpty ? .zero : Self.observeTimeout)
            + configuration.teardownTimeout * 2 + Self.logTimeout
    }

    func close() {
        node.end()
        reactor.stop()
    }
}
