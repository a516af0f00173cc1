package import LatticeCalls
import LatticeConcurrency
public import LatticeCore
package import LatticeHosting
import LatticeProcess
import LatticeSession
package import LatticeTransport

/// The owner of hosted features: it starts and supervises their workers, keeps their view models, and shares the view
/// states with clients.
///
/// You get a coordinator from `withCoordinator`, which starts it, passes it to a closure, and stops it afterwards:
///
/// ```swift
/// try await withCoordinator(hosting: TallyFeature.self) { coordinator in
///     let viewModel = try await coordinator.viewModel(TallyFeature.self)
///     let outcome = await viewModel.sendViewEvent(.scan(directory)).finish()
///     print(outcome, viewModel.viewState)
/// }
/// ```
public final class Coordinator: Sendable {
    /// The time that a stop waits for the log to be written. A log handler that is slow or blocked loses the rest.
    private static let logTimeout: Duration = .milliseconds(500)
    /// The time that a stop waits for the closures of `observeStates` to take the last states.
    private static let observeTimeout: Duration = .seconds(5)

    /// The path of the socket that clients connect to, or nil if the coordinator does not accept clients.
    public let socketPath: String?
    /// The events that ended their worker twice. They are sent again only when the program asks for it.
    public let quarantine = Quarantine()
    /// The node that sends and receives the calls of actors. It knows the actors of all workers and clients, and
    /// forwards the calls between them.
    package let node = ActorNode(isHub: true, title: "coordinator")

    /// The workers that serve at the moment.
    let servingWorkers = ServingWorkers()
    /// The settings of this coordinator, some of which ``reload()`` changes.
    let settings: CoordinatorSettings
    private var configuration: CoordinatorConfiguration { settings.live.value }
    let log: LogQueue
    let reactor: Reactor
    let placement: Placement
    let registry: FeatureRegistry
    let clientRegistry: ClientRegistry
    /// Answers the requests of tools to look into the coordinator, and to act on it.
    private let control: ControlServer
    private let listener: SocketListener?
    private let pathStatus: PathStatus?

    init(
        hosting features: [any HostedFeature.Type],
        listeningAt path: String?,
        configuration: CoordinatorConfiguration
    ) throws {
        let read = try SettingsReader.read(into: configuration)
        let base = configuration
        var configuration = read.configuration
        try configuration.check()
        log = LogQueue()
        // Log calls return at once from here on. The thread of `log` writes the messages.
        configuration.logger = log.logger(base.logger)
        log.minimumLevel = read.logLevel
        let (terminations, kept) = (TerminationRecorder(), LogKeeper())
        configuration.observers.append(terminations.observer)
        configuration.observers.append(.keeping(in: kept, outputOf: configuration.logger))
        settings = CoordinatorSettings(base: base, configuration, sources: read.sources)
        let events = configuration.events
        node.connect(to: events)
        for problem in ProcessSurroundings.problems {
            events.emit(.processProblem, .processProblem(reason: "\(problem)"))
        }
        let placed = try configuration.place(features)
        let groups = placed.groups
        let workers = groups.map {
            ($0.initialWorkers ?? $0.maximumWorkers ?? 1) * ($0.configuration.standby ? 2 : 1)
        }.reduce(0, +)
        try Self.checkThreads(workers: workers)
        let wanted = DescriptorBudget.wantedLimit(workers: workers)
        let openFiles = OpenFiles.raiseLimit(to: wanted) ?? wanted
        reactor = try Reactor.start(name: "lattice-coord")
        let storeID = EventSender.random()
        let coordinatorID = ProcessIdentity.makeCoordinatorID()
        do {
            let trees = placed.trees.map { GroupSupervisor($0, events: events, seed: .random(in: 0...(.max))) }
            let factory = SupervisorFactory(
                reactor: reactor,
                quarantine: quarantine,
                coordinatorID: coordinatorID,
                trees: trees,
                node: node,
                servingWorkers: servingWorkers,
                settings: settings.live
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
            let inherited = try Self.inherit(configuration.listeningSocket, besides: path)
            let served = inherited?.path.string ?? path
            guard served == nil || budget.clients > 0 else {
                throw CoordinatorError.noFiles(openFiles, workers: workers)
            }
            control = ControlServer(
                of: registry,
                facts: CoordinatorFacts(
                    socketPath: served,
                    coordinatorID: coordinatorID,
                    maximumOpenFiles: openFiles,
                    placement: placement,
                    groups: groups,
                    quarantine: quarantine,
                    terminations: terminations,
                    log: kept,
                    settings: settings
                ),
                settings: settings.live
            )
            clientRegistry = ClientRegistry(
                registry: registry,
                features: features,
                storeID: storeID,
                coordinatorID: coordinatorID,
                configuration: configuration,
                settings: settings.live,
                budget: budget,
                node: node,
                control: control
            )
            socketPath = served
            pathStatus = inherited == nil ? served.map { PathStatus(path: $0, events: events) } : nil
            let wrap = configuration.wrapClients?()
            listener = try served.map { [clients = clientRegistry, reactor, pathStatus] path in
                if let inherited {
                    return SocketListener(
                        inheriting: inherited,
                        reactor: reactor,
                        onForeign: { clients.acceptForeign($0) },
                        onConnection: { clients.accept(wrap?($0) ?? $0) }
                    )
                }
                return try Result {
                    try SocketListener(
                        path: SocketPath(path),
                        reactor: reactor,
                        letsIn: false,
                        onForeign: { clients.acceptForeign($0) },
                        onPathEvent: { pathStatus?.update($0) },
                        onConnection: { clients.accept(wrap?($0) ?? $0) }
                    )
                }.mapError(CoordinatorError.listening).get()
            }
        } catch {
            reactor.stop()
            throw error
        }
    }

    /// The event loop that reads the sockets, for measurements.
    package var eventLoop: any EventLoop { reactor }

    /// The reason why new clients do not find this coordinator at ``socketPath``, or nil if they do. You can read it on
    /// any thread.
    ///
    /// The coordinator checks once a second whether its socket and the lock file next to it were deleted or replaced.
    /// In that case it creates them again and logs a warning. If another coordinator listens at the path by then, or if
    /// the files cannot be created, this property holds the error, which is also logged. Clients that are connected are
    /// still served. The coordinator takes the path back as soon as it is free.
    public var listeningError: CoordinatorError? { pathStatus?.error }

    /// Returns the view model of an instance of a hosted feature. For the same instance it is the same object each
    /// time.
    ///
    /// The function starts the instance if necessary. It returns when a worker serves the instance, so that the view
    /// state comes from the worker. It waits for at most ``CoordinatorConfiguration/openTimeout``. The instance then
    /// exists until you call ``close(_:instance:)``.
    ///
    /// ```swift
    /// let notes = try await coordinator.viewModel(Notes.self, instance: "work")
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of the features that the coordinator hosts.
    ///   - instance: The key of one of several independent instances of the feature, at most 255 bytes. The default is
    ///     the empty key.
    /// - Throws: `CoordinatorError` if the feature is not hosted, if there are too many instances, if the supervisor
    ///   has given up on the worker, or if no worker serves the instance in time. `CancellationError` if the calling
    ///   task is cancelled.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = ""
    ) async throws -> ViewModel<Feature> {
        try await viewModel(feature, instance, startingFrom: nil)
    }

    /// Returns the view model of a new instance that starts from a given state.
    ///
    /// To restore the instances of an earlier coordinator, call this function in
    /// ``CoordinatorConfiguration/restoring``. After that a client may already have opened the instance.
    ///
    /// - Parameters:
    ///   - feature: One of the features that the coordinator hosts.
    ///   - instance: The key of the instance, at most 255 bytes.
    ///   - initialDomainState: The state that the instance starts from, instead of the result of the feature's
    ///     `initialDomainState(in:)`.
    /// - Throws: The errors of ``viewModel(_:instance:)``. `CoordinatorError` with the code `exists` if the instance
    ///   already exists, which then keeps its state. `CoordinatorError` if the state cannot be encoded or is larger
    ///   than ``CoordinatorConfiguration/maximumStateBytes``.
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
        let host = try await registry.host(feature, instance, startingFrom: state)
        do {
            let viewModel = try await viewModel(of: host)
            host.keep()
            host.endUse()
            return viewModel
        } catch {
            host.endUse()
            // The next caller may ask with another state, or at a time when a worker is available.
            registry.release(key) { $0 === host && $0.isDisposable }
            throw error
        }
    }

    @MainActor private func viewModel<Feature: HostedFeature>(
        of host: FeatureHost<Feature>
    ) async throws -> ViewModel<Feature> {
        do {
            guard try await host.whenShown(within: configuration.openTimeout) else {
                throw CoordinatorError.notOpened(Feature.identifier, configuration.openTimeout, host.hostStatus)
            }
        } catch let end as ChannelEnd {
            throw CoordinatorError.workerFailed(Feature.identifier, end.reason)
        }
        return host.viewModel
    }

    /// Closes an instance. Its state is lost, also in the worker, and its effects are cancelled. If it has a worker of
    /// its own, that worker ends.
    ///
    /// Its view models here and in clients keep their last view state, and their `hostStatus` becomes `failed`. Events
    /// that are running end `cancelled`, and later ones end `rejected` with the code `closed`. A later call of
    /// ``viewModel(_:instance:)`` with the same key creates a new instance. The function does nothing if the instance
    /// does not exist.
    public func close<Feature: HostedFeature>(_ feature: Feature.Type, instance: String = "") {
        registry.release(FeatureRegistry.Key(feature: Feature.identifier, instance: instance))
    }

    /// Opens a channel to the worker without a view model. The channel's deliveries arrive on the event loop.
    ///
    /// - Parameter instance: A key for which no view model exists, because the worker has one state for each channel.
    /// - Throws: `CoordinatorError` if the feature is not hosted, or if each of its instances has a worker of its own.
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
            events: supervisor.events,
            deliver: deliver
        )
    }

    /// Returns the domain state that the worker of an instance acknowledged last. A new worker would continue from this
    /// state.
    ///
    /// - Returns: The state, or nil if the feature is not hosted or no worker has served the instance yet. An instance
    ///   that was created with an initial state returns that state until then.
    public func acknowledgedState<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String = ""
    ) -> Feature.DomainState? {
        let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
        return (registry.existingHost(key) as? FeatureHost<Feature>)?.acknowledgedState
    }

    /// Waits until everything that has arrived from workers is on its way to clients and to the main actor. Large
    /// states, and those of slow reducers, pass other threads.
    func settle() async {
        await reactor.endOfTick()
        await registry.settle()
        // New states wake the main actor at the end of the tick.
        await reactor.endOfTick()
    }

    func run() async {
        await placement.run()
    }

    /// Runs the configuration's `restoring` closure, then accepts clients.
    func restore() async throws {
        try await configuration.restoring?(self)
        listener?.letIn()
    }

    /// Stops in order: refuses new clients, lets running effects end, ends the workers, and says goodbye to the
    /// clients.
    func stop() async {
        listener?.close()
        await placement.stop()
        // The last messages of the workers are still on their way to the clients.
        await settle()
        await registry.finishObserving(within: Self.observeTimeout)
        await clientRegistry.stop(within: configuration.teardownTimeout)
        await log.flush(within: Self.logTimeout)
    }

    /// The maximum duration of a stop, provided that nothing blocks the main actor.
    var stopTimeout: Duration {
        // This is the sum for the workers, the observers of states, the clients, and the log.
        configuration.placementStopTimeout + (configuration.stateHooks.isEmpty ? .zero : Self.observeTimeout)
            + configuration.teardownTimeout * 2 + Self.logTimeout
    }

    func close() {
        node.end()
        reactor.stop()
    }
}
