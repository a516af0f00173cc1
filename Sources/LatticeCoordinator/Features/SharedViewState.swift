import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// A view state that several clients share. A change is computed and encoded once for all of them.
///
/// The events of the clients are forwarded to the worker under the names that their senders gave them, and in a fair
/// order (``ClientEvents``). The outcome of an event follows the view state that contains the event.
final class SharedViewState<ViewState: Codable & Equatable & Sendable>: Sendable {
    /// The maximum number of clients to which a state is written directly, which has the lowest latency.
    private static var directWrites: Int { 4 }

    private let instance: RuntimeEvent.Instance
    private let runtimeEvents: RuntimeEvents
    private let isObserved: Bool
    private let eventLoop: any EventLoop
    private let events: ClientEvents
    private let maximumBytes: Int
    private let log: SharedStateLog
    /// The conversion to patches, or nil for view states that are sent as a whole.
    private let patching = StatePatching<ViewState>.make()
    /// The order of the operations on the clients. Everything that changes what they have is one of them.
    let order: SharingOrder
    private let known = Locked(SharingState())
    /// The view state that clients have and from which the next change is computed. Nil before the first one, and for
    /// types without patches. Not checked, because only an operation of `order` uses it.
    private nonisolated(unsafe) var published: PublishedState<ViewState>?

    init(
        _ instance: RuntimeEvent.Instance,
        on eventLoop: any EventLoop,
        events: ClientEvents,
        maximumBytes: Int,
        limits: ChannelLimits,
        runtimeEvents: RuntimeEvents = .none
    ) {
        self.instance = instance
        self.runtimeEvents = runtimeEvents
        isObserved = runtimeEvents.wants(.statePublished)
        self.eventLoop = eventLoop
        self.events = events
        self.maximumBytes = maximumBytes
        log = SharedStateLog(limits: limits)
        order = SharingOrder(on: eventLoop)
    }

    /// A Boolean value that indicates whether no view state has been published yet.
    var isEmpty: Bool { log.isEmpty }

    /// The reason why clients keep an older view state, or nil if they have the newest.
    var problem: String? { known.withLock { $0.problem } }

    /// A Boolean value that indicates whether encoding a change of the view state for clients takes long.
    var isLarge: Bool { known.withLock { !$0.channels.isEmpty && $0.bytes >= CodingThreads.largeBytes } }

    /// The revision and the size of the published view state, and the number of its readers.
    var figures: InstanceFigures.View {
        let (bytes, subscribers) = known.withLock { ($0.bytes, $0.channels.count) }
        return InstanceFigures.View(
            revision: log.revision,
            bytes: bytes == .max ? nil : bytes,
            subscribers: subscribers
        )
    }

    /// The channels of the clients that have the view state.
    var channels: [ChannelServer] { known.withLock { $0.channels } }

    /// Sets the closure that is called in order when `problem` has changed.
    func onProblem(_ called: @escaping @Sendable (String?) -> Void) {
        known.withLock { $0.onProblem = called }
    }

    // MARK: In order

    /// Runs a job after the view states that were published so far. If there are none, it runs now.
    func perform(_ job: @escaping SharingQueue.Job) {
        order.perform(job)
    }

    /// Publishes a view state to all clients. Call it in an operation of ``order``.
    ///
    /// - Parameters:
    ///   - viewState: The view state.
    ///   - number: The number up to which events that were forwarded to the worker are contained in it.
    func present(_ viewState: ViewState, throughForwarded number: UInt64) {
        let isShared = known.withLock { known in
            known.acknowledged = max(known.acknowledged, number)
            if known.channels.isEmpty { known.isAhead = true }
            return !known.channels.isEmpty
        }
        guard isShared else { return }
        encode(viewState)
        publish()
    }

    /// Tells all clients which events the view state contains. Call it in an operation of ``order``.
    ///
    /// - Parameter number: The number up to which events that were forwarded to the worker are contained in it.
    func acknowledge(throughForwarded number: UInt64) {
        let isNews = known.withLock { known in
            defer { known.acknowledged = max(known.acknowledged, number) }
            return number > known.acknowledged
        }
        if isNews { publish() }
    }

    /// Encodes the view state if it was not encoded while there were no clients.
    func prepare(_ viewState: @escaping @Sendable () -> ViewState) {
        guard known.withLock(\.isAhead) else { return }
        order.perform(isLong: isCatchingUpLong) { [self] in catchUp(with: viewState) }
    }

    /// A Boolean value that indicates whether the view state was not encoded while there were no clients, and encoding
    /// it takes long.
    private var isCatchingUpLong: Bool { known.withLock { $0.isAhead && $0.bytes >= CodingThreads.largeBytes } }

    private func catchUp(with viewState: () -> ViewState) {
        if known.withLock({ exchange(&$0.isAhead, with: false) }) { encode(viewState()) }
    }

    /// Publishes the view state to a client from now on, and forwards the client's events.
    ///
    /// - Parameters:
    ///   - session: The session on which the client opened the channel.
    ///   - viewState: Returns the present view state.
    ///   - status: Returns the present status of the process that runs the feature.
    ///   - done: Called with the result, in order.
    func attach(
        _ channel: ChannelServer,
        of client: EventSender,
        on session: Session,
        showing viewState: @escaping @Sendable () -> ViewState,
        status: @escaping @Sendable () -> HostStatusMessage,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    ) {
        let forwarder = events.forwarder(of: client)
        // The view state may have changed since it was prepared.
        order.perform(isLong: isCatchingUpLong) { [self] in
            // By now the client may have left the channel, be disconnected, or have another session.
            guard channel.isOpening(on: session) else { return done(.left) }
            catchUp(with: viewState)
            let acknowledged = known.withLock { known -> UInt64? in
                guard !known.hasEnded else { return nil }
                known.channels.append(channel)
                return known.acknowledged
            }
            guard let acknowledged else { return done(.ended) }
            defer { done(.attached) }
            channel.answer(
                by: forwarder,
                on: session,
                showing: log,
                throughForwarded: acknowledged,
                status: status()
            )
        }
    }

    /// Stops publishing the view state to a client.
    ///
    /// - Parameters:
    ///   - condition: Returns whether to do so at the time when it is the turn of this operation.
    ///   - done: Called if the view state was published on the channel.
    func detach(
        _ channel: ChannelServer,
        if condition: @escaping @Sendable () -> Bool = { true },
        done: @escaping @Sendable () -> Void
    ) {
        perform { [self] in
            guard condition() else { return }
            let wasAttached = known.withLock { known in
                guard let index = known.channels.firstIndex(where: { $0 === channel }) else { return false }
                known.channels.remove(at: index)
                return true
            }
            if wasAttached { done() }
        }
    }

    /// Stops publishing the view state, because the instance is closed.
    ///
    /// - Parameter done: Called with the channels of the clients that had the view state, in order.
    func end(_ done: @escaping @Sendable ([ChannelServer]) -> Void) {
        perform { [self] in
            let channels = known.withLock { known in
                known.hasEnded = true
                return exchange(&known.channels, with: [])
            }
            done(channels)
        }
    }

    /// Publishes a view state that is not the view model's, for measurements.
    func publish(_ viewState: ViewState) throws {
        let bytes = try CBOREncoder().encode(viewState)
        perform { [self] in
            published = nil
            log.replace(by: bytes)
            publish()
        }
    }

    // MARK: Encoding

    /// Encodes the view state, or its change. The revision grows only if the state has changed. If the state cannot be
    /// sent, clients keep the one before it.
    private func encode(_ viewState: ViewState) {
        let problem: String?
        let revision = isObserved ? log.revision : 0
        do {
            let encoded = try encoded(viewState)
            let bytes = encoded.bytes
            problem = encoded.isTaken ? nil : "has \(bytes) bytes, and the maximum is \(maximumBytes)"
            known.withLock { $0.bytes = bytes }
            if isObserved { emitPublished(encoded, after: revision) }
        } catch {
            problem = "cannot be encoded \(CodingFailure.sentence(error))"
        }
        let sentence = problem.map {
            "The view state of \"\(instance.feature)\" \($0). Clients keep the one before it."
        }
        let onProblem = known.withLock { known in
            defer { known.problem = sentence }
            return known.problem == sentence ? nil : known.onProblem
        }
        onProblem?(sentence)
    }

    /// The result of encoding a view state.
    private struct Encoded {
        /// The size of the whole state in bytes, or an upper bound.
        let bytes: Int
        /// Whether the state can be sent.
        var isTaken = true
        /// The size of the change in bytes, or nil if the state is sent as a whole.
        var changeBytes: Int?
    }

    /// - Parameter revision: The revision before the encoding. It is the same if the state has not changed.
    private func emitPublished(_ encoded: Encoded, after revision: UInt64) {
        let present = log.revision
        guard present != revision else { return }
        let update = RuntimeEvent.StateUpdate(
            revision: present,
            bytes: encoded.changeBytes ?? encoded.bytes,
            isPatch: encoded.changeBytes != nil
        )
        runtimeEvents.emit(.statePublished, .statePublished(instance, update))
    }

    private func encoded(_ viewState: ViewState) throws -> Encoded {
        if let published { try encodeChange(to: viewState, from: published) } else { try encodeWhole(viewState) }
    }

    private func encodeWhole(_ viewState: ViewState) throws -> Encoded {
        let bytes = try CBOREncoder().encode(viewState)
        guard bytes.count <= maximumBytes else { return Encoded(bytes: bytes.count, isTaken: false) }
        log.replace(by: bytes)
        if let patching {
            published = PublishedState(viewState, bytes: bytes.count, patching)
            patching.noteWhole(bytes: bytes.count, on: eventLoop)
        }
        return Encoded(bytes: bytes.count)
    }

    private func encodeChange(
        to viewState: ViewState,
        from published: PublishedState<ViewState>
    ) throws -> Encoded {
        var changeBytes: Int?
        switch try published.advance(to: viewState, limit: maximumBytes) {
        case .changed(let change):
            changeBytes = change?.count
            published.forgetOutdated()
            log.change(by: change, encodedBy: published.encoding())
        case .tooLarge(let bytes): return Encoded(bytes: bytes, isTaken: false)
        case .same: break
        }
        return Encoded(bytes: published.maximumBytes, changeBytes: changeBytes)
    }

    // MARK: Writing

    /// Releases what has changed to all clients, and writes it.
    private func publish() {
        let (channels, acknowledged) = known.withLock { ($0.channels, $0.acknowledged) }
        guard !channels.isEmpty else { return }
        var frames: StateFrames? = log.frames
        var isDue = false
        for channel in channels {
            isDue = channel.release(&frames, throughForwarded: acknowledged) || isDue
        }
        guard isDue else { return }
        guard channels.count > Self.directWrites else { return channels.forEach { $0.session?.flushSoon() } }
        // This takes many system calls, so the states that follow until then are written together.
        guard known.withLock({ !exchange(&$0.isWriting, with: true) }) else { return }
        eventLoop.execute { [self] in write() }
    }

    /// Writes the states that are due to all clients.
    private func write() {
        let channels = known.withLock { known in
            known.isWriting = false
            return known.channels
        }
        for channel in channels { channel.session?.fairFlush() }
    }
}

/// The result of publishing a view state on the channel of a client that opened it.
enum ChannelAttachment {
    /// The client gets the view state.
    case attached
    /// The client has left the channel or the session.
    case left
    /// The instance was closed.
    case ended
}

/// The state of a ``SharedViewState`` that any thread may use.
///
/// It is no part of the generic type, whose operations would look up its own type each time.
private struct SharingState {
    var channels: [ChannelServer] = []
    /// A Boolean value that indicates whether the instance is closed, so that no channel is added any more.
    var hasEnded = false
    /// The number up to which events that were forwarded to the worker are contained in the newest view state.
    var acknowledged: UInt64 = 0
    /// The size of the newest view state in bytes, or an upper bound.
    var bytes = Int.max
    /// The reason why clients keep an older view state, or nil if they have the newest.
    var problem: String?
    /// A closure that is called when `problem` has changed.
    var onProblem: @Sendable (String?) -> Void = { _ in }
    /// A Boolean value that indicates whether the view state has changed since it was encoded. While there are no
    /// clients, it is not encoded.
    var isAhead = true
    /// A Boolean value that indicates whether a write to many clients is scheduled.
    var isWriting = false
}
