public import LatticeCore
package import LatticeSession
package import LatticeTransport
import LatticeWire
import Synchronization

/// A program that shares the view state of a coordinator on the same host.
///
/// Its view models mirror the coordinator's: what one client sends, all see. When the connection is lost the client
/// tries to get it back and opens its view models again; events that the coordinator has not acknowledged are sent
/// again, and applied once.
public final class Client: Sendable {
    private struct Core {
        var session: Session?
        var isEnding = false
        /// Fulfilled by the handshake or by the end of the present connection.
        var connected = Promise<Void>()
        var lost = Promise<SessionError?>()
    }

    /// Where the coordinator listens.
    public let socketPath: String

    private let path: SocketPath
    private let configuration: ClientConfiguration
    private let clock: any Clock<Duration>
    private let reactor: Reactor
    private let ownsReactor: Bool
    private let opener: Opener
    private let hello: Hello
    private let core = Mutex(Core())

    /// - Parameter reactor: One that several clients of this process share; its owner stops it. nil: one of its own.
    package init(
        connectingTo path: String,
        configuration: ClientConfiguration,
        clock: any Clock<Duration> = ContinuousClock(),
        reactor shared: Reactor? = nil
    ) throws {
        do {
            self.path = try SocketPath(path)
        } catch {
            throw ClientError.connecting(path, error)
        }
        socketPath = path
        self.configuration = configuration
        self.clock = clock
        reactor = try shared ?? Reactor.start(name: "lattice-client")
        ownsReactor = shared == nil
        let events = ClientEvents()
        opener = Opener(reactor: reactor, onOpened: { _ in events.opened() }, onClosed: { events.closed($0, $1) })
        var generator = SystemRandomNumberGenerator()
        hello = Hello(
            versions: LatticeProtocol.versions,
            role: .client,
            incarnation: 0,
            token: [],
            identity: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) },
            processID: UInt32(ProcessIdentity.own),
            features: []
        )
        events.connect(self)
    }

    /// The view model of a feature, mirroring the coordinator's.
    ///
    /// Returns when the first view state is here. Each call opens a channel of its own.
    ///
    /// - Parameter instance: Which of several independent states of the feature: at most 255 bytes.
    /// - Throws: `ClientError` when the coordinator does not serve the feature in this schema.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = ""
    ) async throws -> ViewModel<Feature> {
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw ClientError.instance(instance.utf8.count, MessageLimits.maximumInstance)
        }
        let engine = RemoteEngine<Feature.Action, Feature.ViewState, Feature.ViewState>(
            onClose: { [opener] in opener.remove($0) },
            apply: { state, viewState in viewState = state }
        )
        engine.connect(openChannel(feature, instance: instance) { [weak engine] in engine?.receive($0) })
        do {
            try await engine.whenOpened()
            guard let viewState = engine.state else {
                throw ClientError.notServed(Feature.identifier, "it sent no view state")
            }
            return ViewModel(viewState: viewState, engine: engine, areViewStatesEqual: { $0 == $1 })
        } catch {
            // No view model will do it.
            engine.close()
            guard let rejection = error as? EventRejection else { throw error }
            throw ClientError.notServed(Feature.identifier, rejection.reason)
        }
    }

    /// A channel without a view model: what comes is delivered on the reactor's thread.
    ///
    /// - Parameter deliversEveryState: Whether states that come together are delivered one by one.
    package func openChannel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = "",
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (Delivery<Feature.ViewState>) -> Void
    ) -> RemoteChannel<Feature.Action, Feature.ViewState> {
        let subject = RemoteChannel<Feature.Action, Feature.ViewState>.Subject(
            feature: Feature.identifier,
            schema: Feature.schema,
            instance: instance,
            restoresState: false
        )
        return opener.makeChannel { number in
            RemoteChannel(
                number: number,
                subject: subject,
                reactor: reactor,
                deliversEveryState: deliversEveryState,
                deliver: deliver
            )
        }
    }

    // MARK: Connection

    /// Connects for the first time.
    package func connect() async throws {
        do {
            try await startConnection().value
        } catch let error as SessionError {
            throw ClientError.refused(socketPath, error)
        }
    }

    private func startConnection() throws -> Promise<Void> {
        let connection: SocketConnection
        do throws(TransportError) {
            connection = try SocketConnection.connect(to: path, reactor: reactor)
        } catch {
            throw ClientError.connecting(socketPath, error)
        }
        let session = Session(
            over: connection,
            as: .initiator(hello),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            handler: opener
        )
        let connected = core.withLock { core in
            core.session = session
            core.connected = Promise()
            core.lost = Promise()
            return core.connected
        }
        session.start()
        return connected
    }

    fileprivate func opened() {
        core.withLock(\.connected).fulfil(.success(()))
    }

    fileprivate func closed(_ session: Session, _ error: SessionError?) {
        let promises = core.withLock { core -> (Promise<Void>, Promise<SessionError?>)? in
            guard core.session === session else { return nil }
            core.session = nil
            return (core.connected, core.lost)
        }
        guard let (connected, lost) = promises else { return }
        connected.fulfil(.failure(error ?? SessionError.endedEarly))
        lost.fulfil(.success(error))
    }

    /// Keeps the connection, until the calling task is cancelled or the connection cannot be had back.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await keepConnected() }
            group.addTask { [self] in await watchTime() }
        }
    }

    private func keepConnected() async {
        repeat {
            let lost: SessionError?
            do {
                lost = try await core.withLock(\.lost).value
            } catch {
                // Cancelled.
                return
            }
            guard await reconnect(after: lost) else { return }
        } while true
    }

    /// Answers whether there is a connection again.
    private func reconnect(after error: SessionError?) async -> Bool {
        opener.detach(interruption: nil)
        guard !core.withLock(\.isEnding) else { return false }
        opener.report(.connecting)
        let start = ContinuousClock.now
        var attempt = 0
        var failure: (any Error)? = error
        while !Task.isCancelled, !core.withLock(\.isEnding),
            let delay = configuration.reconnect.delay(attempt, elapsed: start.duration(to: .now))
        {
            // Cancelled: the loop ends.
            try? await clock.sleep(for: delay)
            attempt += 1
            do {
                try await connect()
                return true
            } catch {
                failure = error
            }
        }
        giveUp(failure)
        return false
    }

    private func giveUp(_ error: (any Error)?) {
        let reason = "the coordinator at \"\(socketPath)\" is gone" + (error.map { ": \($0)" } ?? "")
        opener.report(.failed(HostFailure(reason: reason)))
        opener.close(
            .closed.with(reason: reason),
            interruption: Interruption(cause: .disconnected, incarnation: 0)
        )
    }

    private func watchTime() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            core.withLock(\.session)?.tick(now: .now)
        }
    }

    /// Says goodbye behind what still waits to be written, and waits for that to be gone, for `closeLimit` at most.
    package func stop() async {
        let (session, lost) = core.withLock { core in
            core.isEnding = true
            return (core.session, core.lost)
        }
        guard let session else { return }
        session.end()
        await withTaskGroup(of: Void.self) { [clock, configuration] group in
            // Neither error matters: both mean that the wait is over.
            group.addTask { _ = try? await lost.value }
            group.addTask { try? await clock.sleep(for: configuration.closeLimit) }
            await group.next()
            group.cancelAll()
        }
    }

    package func close() {
        giveUp(nil)
        if ownsReactor { reactor.stop() }
    }
}

/// Breaks the circle between a client and its opener, which are made together.
private final class ClientEvents: Sendable {
    private struct Link { weak var client: Client? }
    private let link = Mutex(Link())

    func connect(_ client: Client) { link.withLock { $0.client = client } }
    func opened() { link.withLock(\.client)?.opened() }
    func closed(_ session: Session, _ error: SessionError?) {
        link.withLock(\.client)?.closed(session, error)
    }
}

/// Runs a client for the time of a closure.
///
/// ```swift
/// try await withClient(connectingTo: path) { client in
///     let viewModel = try await client.viewModel(TallyFeature.self)
///     print(viewModel.viewState)
/// }
/// ```
///
/// - Parameters:
///   - path: The socket of the coordinator.
///   - isolation: The caller's; the closure runs there.
/// - Throws: `ClientError`, and what the closure throws.
public func withClient<Result>(
    connectingTo path: String,
    configuration: ClientConfiguration = ClientConfiguration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Client) async throws -> Result
) async throws -> Result {
    let client = try Client(connectingTo: path, configuration: configuration)
    defer { client.close() }
    try await client.connect()
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.stop()
        group.cancelAll()
        return try result.get()
    }
}
