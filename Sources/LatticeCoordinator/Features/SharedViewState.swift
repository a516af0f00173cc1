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
///
/// It belongs to the event loop. Only the encoding of a large view state happens on a coding thread, in an operation of
/// ``order``.
final class SharedViewState<ViewState: Codable & Equatable & Sendable>: Sendable {
    private let instance: RuntimeEvent.Instance
    private let runtimeEvents: RuntimeEvents
    private let isObserved: Bool
    private let eventLoop: any EventLoop
    private let events: ClientEvents
    private let maximumBytes: Int
    private let source: StateSource
    /// The conversion to patches, or nil for view states that are sent as a whole.
    private let patching = StatePatching<ViewState>.make()
    /// The order of the operations on the clients. Everything that changes what they have is one of them.
    let order: SharingOrder
    private let known: LoopBound<SharingState>
    /// Called when `known.problem` has changed.
    private let noteProblem = OneShot<@Sendable (String?, [ChannelServer]) -> Void>()
    /// The view state that clients have and from which the next change is computed. Nil before the first one, and for
    /// types without patches. Not checked, because only an operation of `order` uses it.
    private nonisolated(unsafe) var published: PublishedState<ViewState>?
    /// The bytes of the view state that clients have, for types without patches. Not checked, for the same reason.
    private nonisolated(unsafe) var publishedBytes: [UInt8] = []

    init(_ context: SharingContext) {
        instance = context.instance
        runtimeEvents = context.runtimeEvents
        isObserved = runtimeEvents.wants(.statePublished)
        eventLoop = context.eventLoop
        events = context.events
        maximumBytes = context.maximumBytes
        source = StateSource(on: eventLoop, limits: context.limits)
        order = context.order
        known = LoopBound(SharingState(), to: eventLoop.thread)
    }

    /// A Boolean value that indicates whether clients have the view state, so that it has to be encoded.
    var isShared: Bool { !known.value.channels.isEmpty }

    /// A Boolean value that indicates whether encoding a change of the view state for clients takes long.
    var isLarge: Bool { isShared && known.value.isLarge }

    /// The revision and the size of the published view state, and the number of its readers.
    var figures: InstanceFigures.View {
        InstanceFigures.View(
            revision: source.log.value.revision,
            bytes: known.value.bytes == .max ? nil : known.value.bytes,
            subscribers: known.value.channels.count,
            lag: known.value.channels.reduce(0) { max($0, $1.lag ?? 0) }
        )
    }

    /// The number up to which events that were forwarded to the worker are contained in the newest view state.
    var acknowledged: UInt64 { known.value.acknowledged }

    /// The reason why clients keep an older view state, or nil if they have the newest.
    var problem: String? { known.value.problem }

    /// The channels of the clients that have the view state.
    var channels: [ChannelServer] { known.value.channels }

    /// Sets the closure that is called in order, with the channels of the clients, when there is another reason why
    /// they keep an older view state, or none (nil). Call this once, before there are clients.
    func onProblem(_ called: @escaping @Sendable (String?, [ChannelServer]) -> Void) {
        noteProblem.complete(called)
    }

    // MARK: In order

    /// Publishes a view state to all clients. Call it in an operation of ``order``.
    ///
    /// - Parameters:
    ///   - encoded: The view state, or nil if it was not encoded because there are no clients.
    ///   - number: The number up to which events that were forwarded to the worker are contained in it.
    ///   - isOneOfMany: Whether other view states are published at the same time, to so many clients that the writes
    ///     let other input pass.
    func present(_ encoded: EncodedViewState?, throughForwarded number: UInt64, isOneOfMany: Bool = false) {
        known.value.acknowledged = max(known.value.acknowledged, number)
        guard let encoded else {
            known.value.isAhead = true
            return
        }
        take(encoded)
        publish(isOneOfMany: isOneOfMany)
    }

    /// Tells all clients which events the view state contains. Call it in an operation of ``order``.
    ///
    /// - Parameter number: The number up to which events that were forwarded to the worker are contained in it.
    func acknowledge(throughForwarded number: UInt64) {
        guard number > known.value.acknowledged else { return }
        known.value.acknowledged = number
        publish()
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
        of client: OpeningClient,
        on session: Session,
        showing viewState: @escaping @Sendable () -> ViewState,
        status: @escaping @Sendable () -> HostStatusMessage,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    ) {
        order.performInParts { [self] in
            attaching(channel, of: client, on: session, showing: viewState, status: status, done: done)
        }
    }

    /// Does what ``attach(_:of:on:showing:status:done:)`` does, as a part of an operation of ``order``.
    func attaching(
        _ channel: ChannelServer,
        of client: OpeningClient,
        on session: Session,
        showing viewState: @escaping @Sendable () -> ViewState,
        status: @escaping @Sendable () -> HostStatusMessage,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    ) -> SharingQueue.Step {
        let finish: SharingQueue.Operation = { [self] in
            done(answer(channel, of: client, on: session, status))
            return .done
        }
        // While there were no clients, the view state was not encoded.
        guard known.value.isAhead, channel.isOpening(on: session) else { return finish() }
        known.value.isAhead = false
        guard known.value.isLarge else {
            take(encode(viewState()))
            return finish()
        }
        return .compute { [self] in
            let encoded = encode(viewState())
            return { [self] in
                take(encoded)
                return finish()
            }
        }
    }

    private func answer(
        _ channel: ChannelServer,
        of client: OpeningClient,
        on session: Session,
        _ status: () -> HostStatusMessage
    ) -> ChannelAttachment {
        // By now the client may have left the channel, be disconnected, or have another session.
        guard channel.isOpening(on: session) else { return .left }
        guard !known.value.hasEnded else { return .ended }
        guard !source.log.value.isEmpty else { return .unavailable(known.value.problem ?? "") }
        known.value.channels.append(channel)
        channel.answer(
            by: events.forwarder(of: client),
            on: session,
            showing: source,
            throughForwarded: known.value.acknowledged,
            status: status()
        )
        return .attached
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
        order.perform { [self] in
            if condition(), remove(channel) { done() }
        }
    }

    /// Stops publishing the view state on a channel. Call it in an operation of ``order``.
    ///
    /// - Returns: Whether the view state was published on the channel.
    func remove(_ channel: ChannelServer) -> Bool {
        guard let index = known.value.channels.firstIndex(where: { $0 === channel }) else { return false }
        known.value.channels.remove(at: index)
        return true
    }

    /// Stops publishing the view state, because the instance is closed.
    ///
    /// - Parameter done: Called with the channels of the clients that had the view state, in order.
    func end(_ done: @escaping @Sendable ([ChannelServer]) -> Void) {
        order.perform { [self] in
            known.value.hasEnded = true
            done(exchange(&known.value.channels, with: []))
        }
    }

    /// Publishes a view state that is not the view model's, for measurements. You can call it on any thread.
    func publish(_ viewState: ViewState) throws {
        let bytes = try CBOREncoder().encode(viewState)
        eventLoop.execute { [self] in
            order.perform { [self] in
                published = nil
                publishedBytes = bytes
                source.replace(by: bytes)
                publish()
            }
        }
    }

    // MARK: Encoding

    /// Encodes a view state, or its change. Call it in an operation of ``order``, on any thread, and pass the result to
    /// ``present(_:throughForwarded:)``.
    func encode(_ viewState: ViewState) -> EncodedViewState {
        do {
            return try published.map { try encodeChange(to: viewState, from: $0) } ?? encodeWhole(viewState)
        } catch {
            return .failed("cannot be encoded \(CodingFailure.sentence(error))")
        }
    }

    private func encodeWhole(_ viewState: ViewState) throws -> EncodedViewState {
        let bytes = try CBOREncoder().encode(viewState)
        guard bytes.count <= maximumBytes else { return .tooLarge(bytes: bytes.count) }
        if let patching {
            published = PublishedState(viewState, bytes: bytes.count, patching)
            patching.noteWhole(bytes: bytes.count, on: eventLoop)
        } else {
            // Compared here, because it takes long for large states.
            guard bytes != publishedBytes else { return .same(bytes: bytes.count) }
            publishedBytes = bytes
        }
        return .whole(bytes)
    }

    private func encodeChange(
        to viewState: ViewState,
        from published: PublishedState<ViewState>
    ) throws -> EncodedViewState {
        switch try published.advance(to: viewState, limit: maximumBytes) {
        case .changed(let change):
            published.forgetOutdated()
            return .change(change, bytes: published.maximumBytes, whole: published.encoding())
        case .tooLarge(let bytes): return .tooLarge(bytes: bytes)
        case .same: return .same(bytes: published.maximumBytes)
        }
    }

    /// Makes an encoded view state the newest one. The revision grows only if the state has changed. If the state
    /// cannot be sent, clients keep the one before it.
    private func take(_ encoded: EncodedViewState) {
        var problem: String?
        switch encoded {
        case .whole(let bytes):
            known.value.bytes = bytes.count
            source.replace(by: bytes)
            if isObserved { emitPublished(bytes: bytes.count, isPatch: false) }
        case .change(let change, let bytes, let whole):
            known.value.bytes = bytes
            let outdated = source.log.value.change(by: change, encodedBy: whole)
            // It may have the last reference to the view state before, whose release takes long if it is large.
            if known.value.isLarge { CodingThreads.run { withExtendedLifetime(outdated) {} } }
            if isObserved { emitPublished(bytes: change?.count ?? bytes, isPatch: change != nil) }
        case .same(let bytes):
            known.value.bytes = bytes
        case .tooLarge(let bytes):
            known.value.bytes = bytes
            problem = "has \(bytes) bytes, and the maximum is \(maximumBytes)"
        case .failed(let reason):
            problem = reason
        }
        let sentence = problem.map {
            "The view state of \"\(instance.feature)\" \($0). Clients keep the one before it."
        }
        guard known.value.problem != sentence else { return }
        known.value.problem = sentence
        noteProblem.valueIfComplete?(sentence, known.value.channels)
    }

    private func emitPublished(bytes: Int, isPatch: Bool) {
        let update = RuntimeEvent.StateUpdate(revision: source.log.value.revision, bytes: bytes, isPatch: isPatch)
        runtimeEvents.emit(.statePublished, .statePublished(instance, update))
    }

    // MARK: Writing

    /// Releases what has changed to all clients, and writes it.
    private func publish(isOneOfMany: Bool = false) {
        guard !known.value.channels.isEmpty else { return }
        var frames: StateFrames? = source.frames
        var isDue = false
        for channel in known.value.channels {
            isDue = channel.release(&frames, throughForwarded: known.value.acknowledged) || isDue
        }
        guard isDue else { return }
        guard isOneOfMany || known.value.channels.count > maximumDirectWrites else {
            // Clients with running events first, since they wait for the outcomes and the others only watch. A write
            // takes several microseconds, with the time to wake its reader.
            for channel in known.value.channels where channel.hasRunning { channel.flushSoon() }
            for channel in known.value.channels where !channel.hasRunning { channel.flushSoon() }
            return
        }
        // This takes many system calls, so the states that follow until then are written together.
        guard !exchange(&known.value.isWriting, with: true) else { return }
        eventLoop.execute { [self] in write() }
    }

    /// Writes the states that are due to all clients.
    private func write() {
        known.value.isWriting = false
        for channel in known.value.channels { channel.fairFlush() }
    }
}

/// The maximum number of clients of an instance to which a state is written directly, which has the lowest latency.
let maximumDirectWrites = 4

/// The result of encoding a view state for the clients.
enum EncodedViewState: Sendable {
    /// The whole state.
    case whole([UInt8])
    /// The change, or nil if the state must be sent as a whole. `bytes` is an upper bound of the size of the state, and
    /// `whole` encodes it.
    case change([UInt8]?, bytes: Int, whole: StateLog.Encode)
    /// The state has not changed. `bytes` is an upper bound of its size.
    case same(bytes: Int)
    /// The state is larger than clients accept.
    case tooLarge(bytes: Int)
    /// The state cannot be encoded. The reason continues a sentence about the state.
    case failed(String)
}

/// The result of publishing a view state on the channel of a client that opened it.
enum ChannelAttachment: Sendable, Equatable {
    /// The client gets the view state.
    case attached
    /// The client has left the channel or the session.
    case left
    /// The instance was closed.
    case ended
    /// There is no view state that can be sent, for this reason.
    case unavailable(String)
}

/// The state of a ``SharedViewState``.
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
    /// A Boolean value that indicates whether the view state has changed since it was encoded. While there are no
    /// clients, it is not encoded.
    var isAhead = true
    /// A Boolean value that indicates whether a write to many clients is scheduled.
    var isWriting = false

    /// A Boolean value that indicates whether encoding the view state takes long. Mutating, because another access
    /// would copy the whole value before.
    var isLarge: Bool { mutating get { bytes >= CodingThreads.largeBytes } }
}
