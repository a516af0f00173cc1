import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// A feature without types. Its state is a ``ChangingMap`` that each event changes at random. It runs where its channel
/// is opened, like in a worker.
final class MapWorker: ChannelHost, SessionHandler {
    struct Core {
        var state = ChangingMap()
        var generator: SeededGenerator
        var change: [UInt8]?
    }

    let server = Watched<ChannelServer?>(nil)
    private let core: Locked<Core>
    /// All states of all incarnations.
    private let states: Watched<[[UInt8]]>

    init(seed: UInt64, states: Watched<[[UInt8]]>) {
        core = Locked(Core(generator: SeededGenerator(seed: seed)))
        self.states = states
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {
        let server = ChannelServer(
            number: channel,
            state: ChannelServerState(revision: open.revision, applied: open.resumeAfter),
            sender: 1,
            eventLoop: session.eventLoop
        )
        self.server.change { $0 = server }
        server.link(to: session, by: open)
        if let state = open.state {
            core.withLock { $0.state = ChangingMap(decoding: state) }
            server.begin(with: state)
        } else {
            var state = core.withLock(\.state.encoded)
            states.change { [state] in $0.append(state) }
            server.release(&state)
        }
        server.answer(by: self)
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        change(server)
        return .ended(.finished)
    }

    /// Changes the state without an event, as an effect does.
    func change() {
        guard let server = server.value, let session = server.session else { return }
        session.eventLoop.execute { [self] in
            change(server)
            server.noteActivity()
        }
    }

    private func change(_ server: ChannelServer) {
        core.withLock { core in
            core.change = core.state.change(using: &core.generator)
            let state = core.state.encoded
            states.change { $0.append(state) }
        }
        // Each change is a state of its own.
        release(server, atEndOfTick: false)
    }

    func release(_ server: ChannelServer, atEndOfTick: Bool) {
        let (change, state) = core.withLock { ($0.change.take(), $0.state) }
        if let change {
            server.release(change: change, encodedBy: { state.encoded })
        } else {
            server.releaseUnchanged()
        }
    }
}

/// A state that is shown to many clients, which connect and disconnect, like in a coordinator.
final class MapSharer: ChannelHost, SessionHandler {
    private struct Core {
        var state = ChangingMap()
        var generator: SeededGenerator
        /// The servers by the numbers of their channels, which are all different.
        var servers: [UInt32: ChannelServer] = [:]
    }

    private let eventLoop: any EventLoop
    private let source: StateSource
    /// The sharer whose state the channels show from their next session on, or nil for this one.
    let shown = Watched<MapSharer?>(nil)
    private let core: Locked<Core>
    private let states: Watched<[[UInt8]]>

    init(seed: UInt64, limits: ChannelLimits, states: Watched<[[UInt8]]>, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        source = StateSource(on: eventLoop, limits: limits)
        core = Locked(Core(generator: SeededGenerator(seed: seed)))
        self.states = states
        let state = ChangingMap().encoded
        states.change { $0.append(state) }
        eventLoop.execute { [source] in source.replace(by: state) }
    }

    var state: [UInt8] { core.withLock(\.state.encoded) }

    /// Changes the state and publishes it.
    ///
    /// - Parameter other: The sharer whose frames the channels are given, or nil for this one.
    func change(withFramesOf other: MapSharer? = nil) {
        core.withLock { core in
            let change = core.state.change(using: &core.generator)
            let state = core.state
            states.change { $0.append(state.encoded) }
            eventLoop.execute { [self] in publish(change, state, withFramesOf: other ?? self) }
        }
    }

    private func publish(_ change: [UInt8], _ state: ChangingMap, withFramesOf other: MapSharer) {
        source.log.value.change(by: change, encodedBy: { state.encoded })
        var frames: StateFrames? = other.source.frames
        for server in core.withLock({ Array($0.servers.values) })
        where server.release(&frames, throughForwarded: .max) { server.flushSoon() }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {
        core.withLock { core in
            let server =
                core.servers[channel]
                ?? ChannelServer(
                    number: channel,
                    state: .forwarding(),
                    sender: 1,
                    record: UInt64(channel),
                    eventLoop: session.eventLoop
                )
            core.servers[channel] = server
            server.link(to: session, by: open)
            let source = shown.value?.source ?? source
            server.answer(by: self, on: session, showing: source, throughForwarded: .max)
        }
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart { .ended(.finished) }
}

/// The owner of one channel's state, which it keeps as bytes and changes.
final class MapOwner: Sendable {
    struct Record: Sendable {
        /// The states that were shown.
        var shown: [[UInt8]] = []
        var snapshots = 0
        var patches = 0
        var ended = 0
        var acknowledged: UInt64 = 0
        var opened = 0
        var closed: ChannelEnd?
        /// Whether the next change cannot be made, as that of a type which says something wrong.
        var failsNext = false
        var resyncs = 0
        /// What the owner knew after each delivery.
        var history: [String] = []
    }

    let record = Watched(Record())
    let channel = Watched<ChannelClient?>(nil)
    /// Whether a new worker is given what this encodes instead of what came.
    private let encodes: Bool

    init(encodes: Bool = true) {
        self.encodes = encodes
    }

    var state: [UInt8] { record.value.shown.last ?? [] }

    func makeChannel(
        in channels: ClientChannels,
        restoresState: Bool,
        takesPatches: Bool = true,
        deliversEveryState: Bool = false
    ) -> ChannelClient {
        let channel = channels.makeChannel { number in
            ChannelClient(
                number: number,
                subject: .init(feature: "f", schema: 1, instance: "", restoresState: restoresState),
                eventLoop: channels.eventLoop,
                takesPatches: takesPatches,
                deliversEveryState: deliversEveryState
            ) { [self] channel, channelUpdate, update in receive(channel, channelUpdate, update) }
        }
        self.channel.change { $0 = channel }
        return channel
    }

    private func receive(_ channel: ChannelClient, _ channelUpdate: ChannelUpdate, _ update: StateUpdate) {
        var channelUpdate = channelUpdate
        if !update.isEmpty {
            let old = update.snapshot.map { [UInt8]($0) } ?? state
            let fails = !update.changes.isEmpty && record.value.failsNext
            if !fails, let state = try? old.applying(update.changes) {
                let (isWhole, changes) = (update.snapshot != nil, update.changes.count)
                record.change { record in
                    record.shown.append(state)
                    record.snapshots += isWhole ? 1 : 0
                    record.patches += changes
                }
                channel.accept(&channelUpdate, encodedBy: encodes ? { @Sendable in state } : nil)
            } else {
                record.change { record in
                    record.failsNext = false
                    record.resyncs += 1
                }
                channel.resync(&channelUpdate)
            }
        }
        record.change { [channelUpdate] record in
            record.ended += channelUpdate.endings.count
            record.acknowledged = channelUpdate.acknowledged
            record.opened += channelUpdate.isOpened ? 1 : 0
            record.closed = channelUpdate.end ?? record.closed
            record.history.append(
                "\(record.ended) ended, \(record.snapshots) whole, \(record.acknowledged) acknowledged"
            )
        }
    }
}

/// The side that opens channels. It uses one connection after the other.
final class MapClient: Sendable {
    let channels: ClientChannels
    private let session = Locked<Session?>(nil)

    init(on eventLoop: any EventLoop) {
        channels = ClientChannels(eventLoop: eventLoop, as: .initiator)
    }

    /// - Parameter capacity: Bytes that each direction holds, and about as many that the server writes at once.
    /// - Returns: The other end.
    @discardableResult
    func connect(
        to server: any SessionHandler,
        on eventLoop: any EventLoop,
        _ acceptance: Handshake.Acceptance,
        capacity: Int = 256 * 1024
    ) -> Session {
        let (one, other) = MemoryConnection.pair(eventLoop: channels.eventLoop, other: eventLoop, capacity: capacity)
        let session = Session(over: one, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: channels)
        var limits = WriteQueueLimits()
        limits.batchBytes = min(limits.batchBytes, capacity)
        let end = Session(
            over: other,
            as: .acceptor(acceptance),
            handshakeTimeout: nil,
            limits: limits,
            handler: server
        )
        end.start()
        session.start()
        self.session.withLock { $0 = session }
        return end
    }

    /// - Parameter termination: The termination of the other side, or nil if it may still run.
    func disconnect(interruptedBy termination: WorkerTermination? = nil) async {
        let session = self.session.withLock { $0.take() }
        session?.connection.close()
        channels.eventLoop.execute { [channels] in
            if let termination { channels.detach(interruptedBy: termination) } else { channels.detach() }
        }
        await channels.eventLoop.endOfTick()
    }
}

/// The owner counts the ends itself.
private final class UnusedPromise: EventPromise {
    func ended(_ outcome: WireOutcome, report: TerminationReport?) {}
}

extension ChannelClient {
    /// Sends an event that changes the state.
    func sendChange() {
        _ = send([1]) { _ in UnusedPromise() }
    }
}

/// Whether the shown states are some of these, in their order.
func areShownInOrder(_ shown: [[UInt8]], of states: [[UInt8]]) -> Bool {
    var rest = states[...]
    return shown.allSatisfy { state in
        guard let index = rest.firstIndex(of: state) else { return false }
        rest = rest[index...]
        return true
    }
}
