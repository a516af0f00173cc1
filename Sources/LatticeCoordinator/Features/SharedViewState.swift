import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// A view state as the clients have it that share it: what has changed is worked out and encoded once for all of them.
///
/// Their events go on to the worker under the names that their senders gave them, by turns (``ClientEvents``), and how
/// these ended goes behind the view state that they ended with.
final class SharedViewState<ViewState: Codable & Equatable & Sendable>: Sendable {
    /// Touched by who shows a view state, for as long as that takes.
    private struct Coding {
        /// What clients have, of which the next view state is a change; nil before the first, and without patches.
        var told: PublishedState<ViewState>?
    }

    /// Touched by anybody, for a moment.
    private struct Known {
        var channels: [ChannelServer] = []
        /// What was sent on to the worker up to this number is part of the newest view state here.
        var acknowledged: UInt64 = 0
        /// Of the newest view state, or more.
        var bytes = Int.max
        /// Why clients keep an older one; nil while they do not.
        var problem: String?
        /// Called when that has changed.
        var onProblem: @Sendable () -> Void = {}
        /// States that have not been written yet, where there are many clients.
        var unwritten = 0
    }

    /// So many clients are written to at once, which is soonest.
    private static var directWrites: Int { 4 }
    /// With more clients, so many states of one turn of the main actor are put together for one write to each.
    private static var statesPerWrite: Int { 32 }

    private let feature: String
    /// To the worker.
    private let channel: ChannelClient
    private let events: ClientEvents
    private let maximumBytes: Int
    private let log: SharedStateLog
    /// Nil for view states that do not travel as patches.
    private let patching = StatePatching<ViewState>.make()
    private let queue = Locked(SharingQueue())
    private let coding = Locked(Coding())
    private let known = Locked(Known())

    init(
        feature: String,
        channel: ChannelClient,
        events: ClientEvents,
        maximumBytes: Int,
        limits: ChannelLimits
    ) {
        self.feature = feature
        self.channel = channel
        self.events = events
        self.maximumBytes = maximumBytes
        log = SharedStateLog(limits: limits)
        // Weak: it has the events.
        let tell: @Sendable (@escaping SharingQueue.Job) -> Void = { [weak self] job in
            if let self { perform(job) } else { job() }
        }
        events.connect(ClientEvents.Link(channel: channel, tell: tell))
    }

    /// Whether there is no view state yet that clients can be shown.
    var isEmpty: Bool { log.isEmpty }

    /// Whether a view state is being shown.
    var isShowing: Bool { queue.withLock(\.isBusy) }

    /// Why clients keep an older view state; nil while they do not.
    var problem: String? { known.withLock { $0.problem } }

    /// - Parameter called: Called when that has changed.
    func onProblem(_ called: @escaping @Sendable () -> Void) {
        known.withLock { $0.onProblem = called }
    }

    // MARK: In order

    /// Does something behind the view states that were shown so far: now, if they are.
    func perform(_ job: @escaping SharingQueue.Job) {
        if queue.withLock({ $0.perform(job) }) { job() }
    }

    /// Shows a view state to all clients; a large one in the background. Several may be shown as one.
    ///
    /// - Parameters:
    ///   - number: It contains what was sent on to the worker up to this.
    @MainActor func show(_ viewState: ViewState, throughForwarded number: UInt64) {
        let isLarge = known.withLock { $0.bytes } >= CodingThreads.largeBytes
        let job: SharingQueue.Job = { [self] in
            encode(viewState)
            known.withLock { $0.acknowledged = max($0.acknowledged, number) }
            publish(gathers: !isLarge)
        }
        guard queue.withLock({ $0.show(job) }) else { return }
        if isLarge { CodingThreads.run { [self] in work(job) } } else { work(job) }
    }

    private func work(_ first: SharingQueue.Job) {
        first()
        while let jobs = queue.withLock({ $0.next() }) {
            for job in jobs { job() }
        }
    }

    /// Shows the view state to a client from now on, and sends its events on.
    ///
    /// - Parameter session: On which the client has opened the channel. It may be away by the time, or on another one.
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

    /// Sends clients a view state that is not the view model's, for those who measure only that.
    func publish(_ viewState: ViewState) throws {
        coding.withLock { $0.told = nil }
        log.replace(by: try CBOREncoder().encode(viewState))
        publish(gathers: true)
    }

    // MARK: Encoding

    /// Encodes the view state, or what has changed in it; its number grows only if it changed. Of one that cannot be
    /// sent clients keep the one before.
    private func encode(_ viewState: ViewState) {
        let problem: String?
        do {
            let (bytes, isTaken) = try coding.withLock { coding throws in
                try coding.told == nil ? encodeWhole(viewState, &coding) : encodeChange(to: viewState, &coding)
            }
            problem = isTaken ? nil : "has \(bytes) bytes, and at most \(maximumBytes) are sent"
            known.withLock { $0.bytes = bytes }
        } catch {
            problem = "cannot be encoded \(CodingFailure.sentence(error))"
        }
        let sentence = problem.map { "the view state of \"\(feature)\" \($0); clients keep the one before it" }
        let onProblem = known.withLock { known in
            defer { known.problem = sentence }
            return known.problem == sentence ? nil : known.onProblem
        }
        onProblem?()
    }

    private func encodeWhole(_ viewState: ViewState, _ coding: inout Coding) throws -> (bytes: Int, isTaken: Bool) {
        let bytes = try CBOREncoder().encode(viewState)
        guard bytes.count <= maximumBytes else { return (bytes.count, false) }
        log.replace(by: bytes)
        if let patching {
            coding.told = PublishedState(viewState, bytes: bytes.count, patching)
            patching.noteWhole(bytes: bytes.count, on: channel.eventLoop)
        }
        return (bytes.count, true)
    }

    private func encodeChange(
        to viewState: ViewState,
        _ coding: inout Coding
    ) throws -> (bytes: Int, isTaken: Bool) {
        switch try coding.told?.advance(to: viewState, limit: maximumBytes) {
        case .changed(let change):
            coding.told?.forgetOutdated()
            if let told = coding.told { log.change(by: change, encodedBy: told.encoding()) }
        case .tooLarge(let bytes): return (bytes, false)
        case .same, nil: break
        }
        return (coding.told?.maximumBytes ?? 0, true)
    }

    // MARK: Writing

    /// - Parameter gathers: Whether the caller is the main actor, whose turn may bring more states.
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
        // Parentless: it waits for nothing but the end of the present turn of the main actor.
        if unwritten == 1 { Task { @MainActor [weak self] in self?.write() } }
    }

    /// Has the states that are due written to all clients.
    private func write() {
        let channels = known.withLock { known in
            defer { known.unwritten = 0 }
            return known.unwritten > 0 ? known.channels : []
        }
        guard !channels.isEmpty else { return }
        let sessions = channels.compactMap(\.session)
        // Many system calls: not on the main actor, which meanwhile shows the next state.
        channel.eventLoop.execute { for session in sessions { session.fairFlush() } }
    }
}
