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
    /// The encoding state. The caller that publishes a view state holds its lock for as long as the encoding takes.
    private struct Coding {
        /// The view state that clients have and from which the next change is computed. Nil before the first one, and
        /// for types without patches.
        var published: PublishedState<ViewState>?
    }

    /// The state that any thread may use. Its lock is held only for a moment.
    private struct Known {
        var channels: [ChannelServer] = []
        /// The number up to which events that were forwarded to the worker are contained in the newest view state.
        var acknowledged: UInt64 = 0
        /// The size of the newest view state in bytes, or an upper bound.
        var bytes = Int.max
        /// The reason why clients keep an older view state, or nil if they have the newest.
        var problem: String?
        /// A closure that is called when `problem` has changed.
        var onProblem: @Sendable () -> Void = {}
        /// The number of states that have not been written, used when there are many clients.
        var unwritten = 0
    }

    /// The maximum number of clients to which a state is written directly, which has the lowest latency.
    private static var directWrites: Int { 4 }
    /// The number of states that are collected for one write if there are more clients and one turn of the main actor
    /// publishes several states.
    private static var statesPerWrite: Int { 32 }

    private let instance: RuntimeEvent.Instance
    private let runtimeEvents: RuntimeEvents
    private let isObserved: Bool
    /// The channel to the worker.
    private let channel: ChannelClient
    private let events: ClientEvents
    private let maximumBytes: Int
    private let log: SharedStateLog
    /// The conversion to patches, or nil for view states that are sent as a whole.
    private let patching = StatePatching<ViewState>.make()
    private let order = SharingOrder()
    private let coding = Locked(Coding())
    private let known = Locked(Known())

    init(
        _ instance: RuntimeEvent.Instance,
        channel: ChannelClient,
        events: ClientEvents,
        maximumBytes: Int,
        limits: ChannelLimits,
        runtimeEvents: RuntimeEvents = .none
    ) {
        self.instance = instance
        self.runtimeEvents = runtimeEvents
        isObserved = runtimeEvents.wants(.statePublished)
        self.channel = channel
        self.events = events
        self.maximumBytes = maximumBytes
        log = SharedStateLog(limits: limits)
        events.connect(ClientEvents.Destination(channel: channel, order: order))
    }

    /// A Boolean value that indicates whether no view state has been published yet.
    var isEmpty: Bool { log.isEmpty }

    /// A Boolean value that indicates whether a view state is being published.
    var isPublishing: Bool { !order.isFree }

    /// The reason why clients keep an older view state, or nil if they have the newest.
    var problem: String? { known.withLock { $0.problem } }

    /// Sets the closure that is called when `problem` has changed.
    func onProblem(_ called: @escaping @Sendable () -> Void) {
        known.withLock { $0.onProblem = called }
    }

    // MARK: In order

    /// Runs a job after the view states that were published so far. If there are none, it runs now.
    func perform(_ job: @escaping SharingQueue.Job) {
        order.perform(job)
    }

    /// Publishes a view state to all clients. A large one is encoded in the background. Several states may be published
    /// as one.
    ///
    /// - Parameters:
    ///   - viewState: The view state.
    ///   - number: The number up to which events that were forwarded to the worker are contained in it.
    @MainActor func show(_ viewState: ViewState, throughForwarded number: UInt64) {
        let isLarge = known.withLock { $0.bytes } >= CodingThreads.largeBytes
        let job: SharingQueue.Job = { [self] in
            encode(viewState)
            known.withLock { $0.acknowledged = max($0.acknowledged, number) }
            publish(gathers: !isLarge)
        }
        order.show(inBackground: isLarge, job)
    }

    /// Publishes the view state to a client from now on, and forwards the client's events.
    ///
    /// - Parameter session: The session on which the client opened the channel. By the time this happens, the client
    ///   may be disconnected or have another session.
    func attach(
        _ channel: ChannelServer,
        of client: EventSender,
        on session: Session,
        status: HostStatusMessage
    ) {
        let forwarder = events.forwarder(of: client)
        perform { [self] in
            let acknowledged = known.withLock { known in
                known.channels.append(channel)
                return known.acknowledged
            }
            channel.answer(
                by: forwarder,
                on: session,
                showing: log,
                throughForwarded: acknowledged,
                status: status
            )
        }
    }

    func detach(_ channel: ChannelServer) {
        perform { [self] in known.withLock { $0.channels.removeAll { $0 === channel } } }
    }

    /// Publishes a view state that is not the view model's, for measurements.
    func publish(_ viewState: ViewState) throws {
        coding.withLock { $0.published = nil }
        log.replace(by: try CBOREncoder().encode(viewState))
        publish(gathers: true)
    }

    // MARK: Encoding

    /// Encodes the view state, or its change. The revision grows only if the state has changed. If the state cannot be
    /// sent, clients keep the one before it.
    private func encode(_ viewState: ViewState) {
        let problem: String?
        let revision = isObserved ? log.revision : 0
        do {
            let encoded = try coding.withLock { coding throws in
                try coding.published == nil ? encodeWhole(viewState, &coding) : encodeChange(to: viewState, &coding)
            }
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
        onProblem?()
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

    private func encodeWhole(_ viewState: ViewState, _ coding: inout Coding) throws -> Encoded {
        let bytes = try CBOREncoder().encode(viewState)
        guard bytes.count <= maximumBytes else { return Encoded(bytes: bytes.count, isTaken: false) }
        log.replace(by: bytes)
        if let patching {
            coding.published = PublishedState(viewState, bytes: bytes.count, patching)
            patching.noteWhole(bytes: bytes.count, on: channel.eventLoop)
        }
        return Encoded(bytes: bytes.count)
    }

    private func encodeChange(to viewState: ViewState, _ coding: inout Coding) throws -> Encoded {
        var changeBytes: Int?
        switch try coding.published?.advance(to: viewState, limit: maximumBytes) {
        case .changed(let change):
            changeBytes = change?.count
            coding.published?.forgetOutdated()
            if let published = coding.published { log.change(by: change, encodedBy: published.encoding()) }
        case .tooLarge(let bytes): return Encoded(bytes: bytes, isTaken: false)
        case .same, nil: break
        }
        return Encoded(bytes: coding.published?.maximumBytes ?? 0, changeBytes: changeBytes)
    }

    // MARK: Writing

    /// - Parameter gathers: A Boolean value that indicates whether the caller is the main actor, whose current turn may
    ///   publish more states.
    private func publish(gathers: Bool) {
        let (channels, acknowledged) = known.withLock { ($0.channels, $0.acknowledged) }
        guard !channels.isEmpty else { return }
        var frames: StateFrames? = log.frames
        var isDue = false
        for channel in channels {
            isDue = channel.release(&frames, throughForwarded: acknowledged) || isDue
        }
        guard isDue else { return }
        guard channels.count > Self.directWrites else { return channels.forEach { $0.session?.flushSoon() } }
        let unwritten = known.withLock { known in
            known.unwritten += 1
            return known.unwritten
        }
        if !gathers || unwritten == Self.statesPerWrite { return write() }
        // The task is unstructured. It only waits for the end of the main actor's current turn.
        if unwritten == 1 { Task { @MainActor [weak self] in self?.write() } }
    }

    /// Writes the states that are due to all clients.
    private func write() {
        let channels = known.withLock { known in
            defer { known.unwritten = 0 }
            return known.unwritten > 0 ? known.channels : []
        }
        guard !channels.isEmpty else { return }
        let sessions = channels.compactMap(\.session)
        // This takes many system calls and therefore does not run on the main actor, which meanwhile publishes the next
        // state.
        channel.eventLoop.execute { for session in sessions { session.fairFlush() } }
    }
}
