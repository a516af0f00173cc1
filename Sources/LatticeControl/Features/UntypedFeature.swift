import LatticeCalls
import LatticeCoding
import LatticeConcurrency
package import LatticeSession
import LatticeTransport
package import LatticeWire

/// An instance of a feature that is open at a coordinator, without the Swift types of the feature.
///
/// You get it from ``withUntypedFeature(_:instance:connectingTo:timeout:asksQuestions:showsCauses:isolation:_:)``. For
/// the coordinator the process is a client: it takes the place of a client and is listed as one while the feature is
/// open, and what the program permits to clients applies to it. It has no identity, so the coordinator keeps nothing
/// for it when it is gone. Only of one that asks questions it keeps the ID of its node, as of other nodes that are
/// gone.
public final class UntypedFeature: Sendable {
    /// The identifier of the feature.
    public let identifier: String
    /// The key of the instance. It is empty for a feature's only instance.
    public let instance: String
    private let socketPath: String
    private let reactor: Reactor
    /// The reactor to stop at the end, or nil if its owner does.
    private let ownReactor: Reactor?
    private let channels: ClientChannels
    /// Whether the node is announced, so that it can ask questions.
    private let asksQuestions: Bool
    /// Whether the coordinator is asked which events each state contains.
    private let showsCauses: Bool
    /// Asks questions. It has no actors of its own.
    let node = ActorNode(isHub: false, title: "tool")
    private let core = Locked(Core())

    private enum Phase {
        /// The handshake is not complete.
        case connecting
        /// The feature is open, or is being opened.
        case open(ChannelClient)
        /// Nothing arrives any more.
        case ended(ControlError)
    }

    private struct Core {
        var phase = Phase.connecting
        var latest: (revision: UInt64, bytes: [UInt8])?
        /// The messages about the newest states, oldest first, at most `maximumCauses`.
        var causes: [CausesMessage] = []
        /// Completed when a state arrives, the feature is open, or the connection ends.
        var changed = OneShot<Void>()
    }

    /// The maximum number of states whose causes are kept. A slower reader learns the causes of the newest states.
    private static let maximumCauses = 64

    /// - Parameters:
    ///   - asksQuestions: Whether it can ask questions.
    ///   - showsCauses: Whether states come with the events that they contain.
    ///   - shared: A reactor that its owner stops, or nil to create one.
    init(
        _ identifier: String,
        instance: String,
        path: String,
        asksQuestions: Bool = false,
        showsCauses: Bool = false,
        reactor shared: Reactor? = nil
    ) throws(ControlError) {
        (self.identifier, self.instance, self.asksQuestions) = (identifier, instance, asksQuestions)
        self.showsCauses = showsCauses
        socketPath = path
        do throws(TransportError) {
            if let shared {
                (reactor, ownReactor) = (shared, nil)
            } else {
                reactor = try Reactor.start(name: "lattice-feature")
                ownReactor = reactor
            }
        } catch {
            throw .connecting(path, error)
        }
        channels = ClientChannels(eventLoop: reactor, as: .initiator)
        channels.connect(self)
    }

    /// Connects, opens the feature and waits for its first state.
    func connect(within timeout: Duration) async throws {
        let connection: SocketConnection
        do throws(TransportError) {
            connection = try SocketConnection.connect(to: SocketPath(socketPath), reactor: reactor)
        } catch {
            throw ControlError.connecting(socketPath, error)
        }
        try await open(over: connection, within: timeout)
    }

    /// Opens the feature over a connection, and waits for its first state.
    func open(over connection: any Connection, within timeout: Duration) async throws {
        let hello = Hello(
            role: .client,
            incarnation: 0,
            processID: UInt32(ProcessIdentity.own),
            features: [],
            node: asksQuestions ? node.id.bytes : nil
        )
        let session = Session(
            over: connection,
            as: .initiator(hello),
            liveness: Liveness(interval: .seconds(5), timeout: .seconds(30)),
            handshakeTimeout: timeout,
            handler: channels
        )
        session.start()
        guard try await state(after: 0, orFirst: true, within: timeout) != nil else {
            throw ControlError.notOpened(identifier, within: timeout)
        }
    }

    // MARK: States

    /// The newest view state that has arrived.
    ///
    /// - Throws: ``ControlError`` if the state cannot be read.
    public var state: FeatureState {
        get throws {
            guard let latest = core.withLock(\.latest) else { throw ControlError.notOpened(identifier, within: .zero) }
            return try FeatureState(revision: latest.revision, decoding: latest.bytes)
        }
    }

    /// Waits for a view state with a higher revision. States between the given one and the newest one are skipped, so a
    /// slow caller keeps only one state in memory. The causes of the skipped states are among those of the newest one.
    ///
    /// ```swift
    /// var state = try feature.state
    /// while let next = try await feature.state(after: state.revision) {
    ///     print(next.changes(since: state))
    ///     state = next
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - revision: The revision that the caller has.
    ///   - limit: The time to wait, or nil to wait until the connection ends.
    /// - Returns: The newest state, or nil if none has arrived in time.
    /// - Throws: ``ControlError`` if the connection or the instance has ended, or if the state cannot be read.
    ///   `CancellationError` if the calling task is cancelled.
    public func state(after revision: UInt64, within limit: Duration? = nil) async throws -> FeatureState? {
        try await state(after: revision, orFirst: false, within: limit)
    }

    /// - Parameter isFirst: Whether the first state suffices, whose revision can be 0.
    private func state(after revision: UInt64, orFirst isFirst: Bool, within limit: Duration?) async throws
        -> FeatureState?
    {
        let deadline = limit.map { MonotonicDeadline(in: $0) } ?? .never
        while true {
            let (phase, latest, causes, changed) = core.withLock { ($0.phase, $0.latest, $0.causes, $0.changed) }
            if let latest, latest.revision > revision || isFirst {
                let since = causes.filter { $0.revision > revision && $0.revision <= latest.revision }
                return try FeatureState(
                    revision: latest.revision,
                    decoding: latest.bytes,
                    causes: isFirst ? nil : StateCauses(since)
                )
            }
            if case .ended(let error) = phase { throw error }
            if let left = deadline.left {
                guard left > .zero, try await changed.value(within: left) != nil else { return nil }
            } else {
                _ = try await changed.value
            }
        }
    }

    // MARK: Events

    /// Sends an action as an event, and waits until it has ended.
    ///
    /// The value is encoded by its shape: maps, arrays, texts, numbers, Booleans and null. It has to be what the
    /// feature's action is when it is encoded. A case of an enumeration is a map from its name to the map of its
    /// values, such as `{"rename":{"id":3,"title":"Milk"}}`, and values without a label are called `_0`, `_1` and so
    /// on. If the value does not fit, the event is rejected with the reason of the worker.
    ///
    /// If the calling task is cancelled, the event is cancelled, and the function still returns its outcome.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - deadline: The time after which the event is rejected or its effects are cancelled, or nil for none.
    ///   - limit: The time to wait for the outcome. The event continues afterwards.
    /// - Returns: How the event ended, or nil if it has not ended in time.
    /// - Throws: ``ControlError`` if the feature is not open.
    public func send(
        _ action: DescriptionValue,
        deadline: Duration? = nil,
        waitingAtMost limit: Duration
    ) async throws -> EventResult? {
        let channel = try openChannel
        var writer = CBORWriter()
        action.encode(into: &writer)
        let promise = ResultPromise()
        let metadata = EventMetadata(deadline: deadline.map { MonotonicDeadline(in: $0) } ?? .never)
        let event = channel.send(writer.bytes, metadata: metadata) { _ in promise }
        // The wait is a task of its own, because it outlives the cancellation of this one. It ends with the limit.
        let outcome = Task { () -> WireOutcome? in
            if let deadline, deadline < limit, let event {
                if let outcome = try await promise.outcome.value(within: deadline) { return outcome }
                channel.expire(event: event)
                let rest = limit - deadline
                guard channel.deadlineGrace < rest else { return try await promise.outcome.value(within: rest) }
                if let outcome = try await promise.outcome.value(within: channel.deadlineGrace) { return outcome }
                channel.endOverdue(event: event)
                return try await promise.outcome.value(within: rest - channel.deadlineGrace)
            }
            return try await promise.outcome.value(within: limit)
        }
        return try await withTaskCancellationHandler {
            try await outcome.value.map { EventResult($0) }
        } onCancel: {
            if let event { channel.cancel(event: event, WireCancellation(by: .sender)) }
        }
    }

    /// The channel for questions.
    ///
    /// - Throws: ``ControlError`` if the feature is not open, or was not opened to ask.
    var askedChannel: ChannelClient {
        get throws {
            guard asksQuestions else { throw ControlError.asksNoQuestions(identifier) }
            return try openChannel
        }
    }

    /// The channel.
    ///
    /// - Throws: ``ControlError`` if the feature is not open.
    private var openChannel: ChannelClient {
        get throws {
            switch core.withLock(\.phase) {
            case .connecting: throw ControlError.notOpened(identifier, within: .zero)
            case .ended(let error): throw error
            case .open(let channel): return channel
            }
        }
    }

    /// Says goodbye and ends.
    func close() {
        node.end()
        channels.session?.end()
        ownReactor?.stop()
    }

    // MARK: Deliveries

    /// Handles what one tick of the event loop brought.
    private func deliver(_ channel: ChannelClient, _ delivered: ChannelUpdate, _ states: StateUpdate) {
        var update = delivered
        if !states.isEmpty { receive(states, on: channel, &update) }
        for ending in update.endings { ending.promise.ended(ending.outcome) }
        if let end = update.end { self.end(.closed(identifier, end)) }
    }

    private func receive(_ states: StateUpdate, on channel: ChannelClient, _ update: inout ChannelUpdate) {
        do throws(WireError) {
            var bytes = states.snapshot.map { [UInt8]($0) } ?? core.withLock { $0.latest?.bytes ?? [] }
            for change in states.changes {
                bytes = try StateChange(change).apply(to: bytes, maximum: FrameLimits.maximumState)
            }
            channel.accept(&update)
            let revision = channel.deliveredRevision
            change { $0.latest = (revision, bytes) }
        } catch {
            // The whole state is requested, and the outcomes come with it.
            channel.resync(&update)
        }
    }

    private func receive(_ causes: CausesMessage) {
        core.withLock { core in
            core.causes.append(causes)
            if core.causes.count > Self.maximumCauses { core.causes.removeFirst() }
        }
    }

    private func end(_ error: ControlError) {
        change { core in
            if case .ended = core.phase { return }
            core.phase = .ended(error)
        }
    }

    private func change(_ change: (inout Core) -> Void) {
        let changed = core.withLock { core in
            change(&core)
            let changed = core.changed
            core.changed = OneShot()
            return changed
        }
        changed.complete()
    }
}

extension UntypedFeature: SessionOwner {
    package func opened(_ session: Session, to peer: Handshake.Peer) {
        guard let feature = peer.features.first(where: { $0.identifier == identifier }) else {
            end(.notHosted(identifier, hosted: peer.features.map(\.identifier)))
            return session.end()
        }
        guard !asksQuestions || peer.node != nil else {
            end(.answersNoQuestions(socketPath))
            return session.end()
        }
        let subject = ChannelClient.Subject(
            feature: identifier,
            schema: Int(feature.schema),
            instance: instance,
            restoresState: false
        )
        let receiveCauses: (@Sendable (CausesMessage) -> Void)? =
            if showsCauses { { [weak self] in self?.receive($0) } } else { nil }
        let channel = channels.makeChannel { number in
            // The channel is kept by `channels`, which this object owns.
            ChannelClient(
                number: number,
                subject: subject,
                eventLoop: reactor,
                takesPatches: true,
                receiveCauses: receiveCauses,
                deliver: { [weak self] channel, update, states in self?.deliver(channel, update, states) }
            )
        }
        node.connect(session, to: peer, title: "coordinator")
        core.withLock { if case .connecting = $0.phase { $0.phase = .open(channel) } }
    }

    package func closed(_ session: Session, error: SessionError?) {
        let failure = ControlError.ended(socketPath, error ?? SessionError.endedEarly, asked: false)
        // First, so that a task that asks finds the reason.
        end(failure)
        node.loseHub(because: failure.message)
        // No process is left to ask.
        channels.close(ChannelEnd(reason: failure.message), interruption: .unknown(reason: failure.message))
    }
}

/// The promise of the outcome of one event.
private final class ResultPromise: EventPromise {
    let outcome = OneShot<WireOutcome>()

    func ended(_ outcome: WireOutcome, report: TerminationReport?) { self.outcome.complete(outcome) }
}

/// Opens an instance of a feature without its Swift types, for the duration of a closure. The instance is created if it
/// does not exist.
///
/// ```swift
/// try await withUntypedFeature("tally", connectingTo: path) { tally in
///     print(try tally.state.value.json)
/// }
/// ```
///
/// - Parameters:
///   - identifier: The identifier of the feature.
///   - instance: The key of the instance, at most 255 bytes.
///   - path: The path of the coordinator's socket.
///   - timeout: The time within which the first state must arrive.
///   - asksQuestions: Whether ``UntypedFeature/ask(_:within:)`` can be used.
///   - showsCauses: Whether states come with the events that they contain (``FeatureState/causes``). Only a process
///     that may look into the coordinator gets them.
///   - isolation: The isolation of the caller, in which the closure runs.
///   - body: A closure that uses the feature.
/// - Returns: The result of the closure.
/// - Throws: ``ControlError`` if the coordinator cannot be reached, does not host the feature, or refuses to open it,
///   and the errors of the closure.
public func withUntypedFeature<Result>(
    _ identifier: String,
    instance: String = "",
    connectingTo path: String,
    timeout: Duration = .seconds(10),
    asksQuestions: Bool = false,
    showsCauses: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (UntypedFeature) async throws -> Result
) async throws -> Result {
    guard instance.utf8.count <= MessageLimits.maximumInstance else {
        throw ControlError.invalid("The key of an instance has at most \(MessageLimits.maximumInstance) bytes.")
    }
    let feature = try UntypedFeature(
        identifier,
        instance: instance,
        path: path,
        asksQuestions: asksQuestions,
        showsCauses: showsCauses
    )
    defer { feature.close() }
    try await feature.connect(within: timeout)
    return try await body(feature)
}
