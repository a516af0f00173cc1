import LatticeCoding
import LatticeCore
import LatticeHosting
package import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

/// A hosted feature whatever its types, as clients reach it.
@MainActor protocol FeatureHosting: AnyObject, Sendable {
    /// Has a view state that a client can be shown; before each `attach`.
    ///
    /// - Returns: Why there is none.
    func prepareSharing() -> String?

    /// Shows the view state to a client from now on.
    func attach(_ channel: ChannelServer)
    func detach(_ channel: ChannelServer)

    /// Closes the channel to the worker and the channels of all clients. The last call.
    func release()

    /// Returns when a worker serves the feature, or throws why none ever will.
    ///
    /// - Parameter limit: How long to wait; nil: for as long as it takes.
    /// - Returns: Whether a worker serves it; false after the limit.
    nonisolated func whenOpened(within limit: Duration?) async throws -> Bool
}

/// One hosted feature in the coordinator: the channel to the worker, the view model, and the clients that share it.
@MainActor final class FeatureHost<Feature: HostedFeature>: FeatureHosting {
    /// So many clients are written to from the main actor, which is soonest.
    private static var directWrites: Int { 4 }
    /// With more clients, so many states of one turn of the main actor are put together for one write to each.
    private static var statesPerWrite: Int { 32 }

    let viewModel: ViewModel<Feature>

    private let engine: RemoteEngine<Feature.Action, Feature.DomainState, Feature.ViewState>
    /// To the worker.
    private let workerChannels: ClientChannels
    private nonisolated let channel: FeatureClient<Feature.Action, Feature.DomainState>
    private let logger: Logger
    private let maximumState: Int
    /// Those of clients that are shown the view state.
    private var channels: [ChannelServer] = []
    /// The view state as clients have it.
    private let log: SharedStateLog
    /// Nil for view states that do not travel as patches.
    private let patching = StatePatching<Feature.ViewState>.make()
    /// What clients have, of which the next view state is a change; nil before the first, and without patches.
    private var told: ToldState<Feature.ViewState>?
    private var acknowledged: UInt64 = 0
    /// States that have not been written yet, where there are many clients.
    private var unwritten = 0
    /// A death that the feature could not answer, because the supervisor gave up on the worker after it.
    private var unanswered: Interruption?

    /// - Throws: `SettingsFault` for a configuration that cannot be sent to the worker.
    init(instance: String, supervisor: WorkerSupervisor, logger: Logger) throws(SettingsFault) {
        let context = supervisor.configuration.context(of: Feature.self, instance: instance)
        let presentation = Presentation(of: Feature.self, at: Feature.initialDomainState(in: context))
        let engine = RemoteEngine<Feature.Action, Feature.DomainState, Feature.ViewState> { state, viewState in
            presentation.reducer.show(state, in: &viewState)
        }
        let receive = engine.receiver
        workerChannels = supervisor.channels
        channel = FeatureClient(
            try ChannelClient.Subject(Feature.self, in: context),
            in: supervisor.channels,
            sender: supervisor.sender,
            limits: supervisor.configuration.channelLimits
        ) { [weak supervisor] delivery in
            // `opened` only repeats what was known; a state beyond it is progress.
            if delivery.hasState, !delivery.news.isOpened { supervisor?.progressed() }
            receive(&delivery)
        }
        engine.connect(channel)
        viewModel = ViewModel(viewState: presentation.viewState, engine: engine, areViewStatesEqual: { $0 == $1 })
        self.engine = engine
        self.logger = logger
        log = SharedStateLog(limits: supervisor.configuration.channelLimits)
        maximumState = supervisor.configuration.maximumStateBytes
        // Weak: a hop to the main actor may be on its way while the coordinator is let go.
        engine.onShown = { [weak self] acknowledged, interruption in
            self?.shown(acknowledged)
            if let interruption { self?.recover(from: interruption) }
        }
        engine.onHost = { [weak self] host in
            self?.channels.forEach { $0.report(HostStatusMessage(host)) }
            // After a reset by hand there is a worker again.
            if case .serving = host, let interruption = self?.unanswered.take() { self?.recover(from: interruption) }
        }
    }

    /// What a new worker would go on from.
    var acknowledgedState: Feature.DomainState? { engine.state }

    @discardableResult
    nonisolated func whenOpened(within limit: Duration? = nil) async throws -> Bool {
        try await engine.whenOpened(within: limit)
    }

    /// Lets the feature answer what the worker's death left unfinished.
    private func recover(from interruption: Interruption) {
        guard let state = engine.state, let action = Feature.recovery(from: interruption, in: state) else { return }
        logger.info("recovering \(Feature.identifier) from \(interruption)")
        channel.send(action).onCompletion { [weak self] outcome in
            guard case .rejected = outcome else { return }
            // Parentless: one hop, and nothing waits for it.
            Task { @MainActor in self?.unanswered = interruption }
        }
    }

    // MARK: Clients

    func attach(_ channel: ChannelServer) {
        channels.append(channel)
        channel.answer(
            by: self.channel.channel,
            showing: log,
            throughForwarded: acknowledged,
            status: HostStatusMessage(engine.host)
        )
    }

    func prepareSharing() -> String? {
        encode()
        return log.isEmpty ? engine.sharingProblem : nil
    }

    /// Channels of clients that are shown the view state.
    var channelCount: Int { channels.count }

    func detach(_ channel: ChannelServer) {
        channels.removeAll { $0 === channel }
    }

    func release() {
        // First: clients hear how what they had running ends.
        workerChannels.remove(channel.channel)
        let reason = "the coordinator has let go of this instance of \"\(Feature.identifier)\""
        workerChannels.eventLoop.execute { [channels] in
            for channel in channels { channel.end(Closed(code: .draining, reason: reason)) }
        }
        channels = []
    }

    private func shown(_ acknowledged: UInt64) {
        self.acknowledged = max(self.acknowledged, acknowledged)
        guard !channels.isEmpty else { return }
        encode()
        publish()
    }

    /// Sends clients a view state that is not the view model's, for those who measure only that.
    func publish(_ viewState: Feature.ViewState) throws {
        told = nil
        log.replace(by: try CBOREncoder().encode(viewState))
        publish()
    }

    private func publish() {
        var frames: StateFrames? = log.frames
        var isDue = false
        for channel in channels {
            isDue = channel.release(&frames, throughForwarded: acknowledged) || isDue
        }
        guard isDue else { return }
        guard channels.count > Self.directWrites else { return channels.forEach { $0.session?.flushSoon() } }
        unwritten += 1
        if unwritten == Self.statesPerWrite { return write() }
        guard unwritten == 1 else { return }
        // Parentless: it waits for nothing but the end of the present turn of the main actor.
        Task { @MainActor [weak self] in self?.write() }
    }

    /// Has the states that are due written to all clients.
    private func write() {
        guard unwritten > 0 else { return }
        unwritten = 0
        let sessions = channels.compactMap(\.session)
        // Many system calls: not on the main actor, which meanwhile shows the next state.
        channel.channel.eventLoop.execute { for session in sessions { session.fairFlush() } }
    }

    /// Encodes the view state, or what has changed in it; its number grows only if it changed. Of one that cannot be
    /// sent clients keep the one before, and the host's status says so.
    private func encode() {
        var problem: String?
        do {
            let tooManyBytes = try told == nil ? encodeWhole() : encodeChange()
            problem = tooManyBytes.map { "has \($0) bytes, and at most \(maximumState) are sent" }
        } catch {
            problem = "cannot be encoded \(CodingFailure.sentence(error))"
        }
        let sentence = problem.map {
            "the view state of \"\(Feature.identifier)\" \($0); clients keep the one before it"
        }
        if let sentence, sentence != engine.sharingProblem { logger.error("\(sentence)") }
        engine.sharingProblem = sentence
    }

    /// - Returns: How many bytes it has, if these are too many.
    private func encodeWhole() throws -> Int? {
        let bytes = try CBOREncoder().encode(viewModel.viewState)
        guard bytes.count <= maximumState else { return bytes.count }
        log.replace(by: bytes)
        if let patching { told = ToldState(viewModel.viewState, bytes: bytes.count, patching) }
        return nil
    }

    /// - Returns: How many bytes the state has, if these are too many.
    private func encodeChange() throws -> Int? {
        switch try told?.advance(to: viewModel.viewState, limit: maximumState) {
        case .changed(let change):
            if let told { log.change(by: change, encodedBy: told.encoding()) }
            return nil
        case .tooLarge(let bytes): return bytes
        case .same, nil: return nil
        }
    }
}

/// The channel to a worker is what the channels of clients serve: it sends their events on, under the names that their
/// senders gave them.
extension ChannelClient: ChannelHost {
    package func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        let number = event.number
        var forwarded: ForwardedEvent?
        let sent = send([UInt8](event.action), as: event.name) { sent in
            let event = ForwardedEvent(number, of: server, as: sent, on: self)
            forwarded = event
            return event
        }
        // Without a number it was rejected at once, and has told so.
        guard let forwarded, let sent else { return .completed }
        return .forwarded(forwarded, as: sent)
    }
}

/// An event of a client, on its way to the worker and back.
private final class ForwardedEvent: EventTicket, RunningEvent {
    private let event: UInt64
    private let server: ChannelServer
    /// Its number on the channel to the worker.
    private let sent: UInt64
    private let channel: ChannelClient

    init(_ event: UInt64, of server: ChannelServer, as sent: UInt64, on channel: ChannelClient) {
        self.event = event
        self.server = server
        self.sent = sent
        self.channel = channel
    }

    func ended(_ outcome: WireOutcome) {
        server.completeAndRelease(event, outcome)
    }

    func cancel() {
        channel.cancel(event: sent)
    }
}
