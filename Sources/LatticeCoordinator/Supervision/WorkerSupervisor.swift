import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

/// Keeps one worker running: starts it, gives it its session, and starts the next incarnation when it ends.
///
/// What to do is asked of `SupervisorState`; this acts, outside the lock.
final class WorkerSupervisor: SessionOwner {
    private struct Core {
        var state: SupervisorState
        var generator: SeededGenerator
        /// The present life, or the last one.
        var life = Life()
        /// The present wait for a reset, or the last one.
        var reset = Reset()
    }

    /// What happens once in a life of the worker.
    private struct Life {
        /// nil until its process is there.
        var session: Session?
        /// Likewise.
        var worker: (processID: Int32, output: OutputTail)?
        let start = ContinuousClock.now
        let sessionEnded = OneShot<Void>()
        let drained = OneShot<Void>()
        /// The process is to end.
        let stop = OneShot<Void>()
    }

    /// A start by hand, or the end of a wait by a stop: asked for, and done.
    private struct Reset {
        let asked = OneShot<Void>()
        let done = OneShot<Void>()
    }

    /// How long a worker may take to say how what it cancelled at the end of a drain has ended.
    static let cancelLimit: Duration = .milliseconds(250)
    /// How long a worker that was killed may take to be gone, with the last of its output.
    private static let reapLimit: Duration = .milliseconds(250)

    /// To the worker, over one life after the other.
    let channels: ClientChannels
    /// Names what this coordinator remembers; its own events come from it.
    let sender: EventSender
    let configuration: CoordinatorConfiguration
    private let quarantine: Quarantine
    /// What a worker has to serve.
    private let features: [FeatureAdvertisement]
    private let build: SharedBuild
    private let launcher: any WorkerLauncher
    private let clock: any Clock<Duration>
    private let life: UInt64
    private let core: Locked<Core>
    /// Whether the channels take nothing, since the worker was given up or stopped. Held while they are closed or
    /// opened again, so that the last word holds; before `core` where both are.
    private let isClosed = Locked(false)
    /// Complete when every channel has its end.
    private let finished = OneShot<Void>()

    /// - Parameters:
    ///   - build: Which build the workers have to be, those of others in the group too.
    ///   - life: This process, as the workers hear of it.
    init(
        launcher: any WorkerLauncher,
        build: SharedBuild = SharedBuild(.first),
        features: [any HostedFeature.Type] = [],
        configuration: CoordinatorConfiguration,
        eventLoop: any EventLoop,
        memory: EventSender,
        quarantine: Quarantine = Quarantine(),
        clock: any Clock<Duration> = ContinuousClock(),
        life: UInt64 = 0,
        seed: UInt64
    ) {
        sender = memory
        self.configuration = configuration
        self.quarantine = quarantine
        self.launcher = launcher
        self.build = build
        self.life = life
        self.features = features.map { FeatureAdvertisement($0, level: .domain) }
        self.clock = clock
        core = Locked(
            Core(
                state: SupervisorState(policy: configuration.restart, silence: configuration.heartbeatLimit),
                generator: SeededGenerator(seed: seed)
            )
        )
        channels = ClientChannels(eventLoop: eventLoop, as: .acceptor)
        channels.connect(self)
    }

    // MARK: Running

    /// Runs until the calling task is cancelled, or `stop` ended the worker.
    func run() async {
        while let incarnation = start() {
            await act(on: await runLife(incarnation))
        }
        close("the coordinator stopped", .disconnected)
        finished.complete()
    }

    /// Begins the next life, if there is to be one.
    func start() -> UInt64? {
        ask { core in
            core.life = Life()
            return core.state.start()
        }
    }

    /// Asks the state what to do for the task that runs; the end of that task is a stop.
    private func ask<Answer>(_ question: (inout sending Core) -> sending Answer) -> Answer {
        let isCancelled = Task.isCancelled
        return core.withLock { core in
            if isCancelled { _ = core.state.stop() }
            return question(&core)
        }
    }

    private func runLife(_ incarnation: UInt64) async -> SupervisorState.Next {
        let launch = LaunchVariable(incarnation: incarnation, token: (0..<32).map { _ in .random(in: 0...255) })
        let stop = core.withLock(\.life.stop)
        do throws(TransportError) {
            let cause = try await launcher.run(launch, disguise: nil, stop: stop) { [self] worker in
                let session = makeSession(over: worker.connection, launch)
                core.withLock { core in
                    core.state.launched(processID: worker.processID)
                    core.life.session = session
                    core.life.worker = (worker.processID, worker.output)
                }
                session.start()
            }
            let life = core.withLock(\.life)
            // The process is gone; what it wrote last is still read, until its end of the connection is seen to close.
            await life.sessionEnded.wait(atMost: configuration.teardownLimit, clock: clock)
            life.session?.connection.close()
            await life.sessionEnded.wait(atMost: configuration.teardownLimit, clock: clock)
            return ended(cause)
        } catch {
            if error.isLackOfResources { return lacked(error.message) }
            configuration.logger.error("the worker cannot be started: \(error)")
            return ended(.exit(code: 127))
        }
    }

    private func makeSession(over connection: any Connection, _ launch: LaunchVariable) -> Session {
        let own = UInt32(ProcessIdentity.own)
        let welcome = Welcome(role: .coordinator, life: life, processID: own, features: [], memory: sender.bytes)
        var acceptance = Handshake.Acceptance(welcome, of: [.worker])
        acceptance.token = launch.token
        acceptance.expectedIncarnation = launch.incarnation
        acceptance.requiredFeatures = features
        acceptance.expectedBuild = build.expected
        return Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            handshakeLimit: configuration.restart.bootLimit,
            maximumPayload: configuration.maximumStateBytes,
            handler: channels
        )
    }

    /// The worker is gone, and with it what ran there.
    func ended(_ cause: Interruption.Cause) -> SupervisorState.Next {
        let (end, wasAskedToLeave, present) = core.withLock { ($0.state.death(cause), $0.state.isDraining, $0.life) }
        guard var death = end else { return .stop }
        death = Interruption(cause: death.cause, incarnation: death.incarnation, report: report(of: present))
        let life = channels.detach(interruption: death, wasAskedToLeave: wasAskedToLeave, sender: sender)
        let judgement = ask { core in
            core.reset = Reset()
            return core.state.ended(
                cause,
                excuse: life.excuse,
                at: .now,
                chance: .random(in: 0...1, using: &core.generator)
            )
        }
        if let poisoned = life.poisoned {
            quarantine.add(poisoned, sender: sender, cause: death.cause, logger: configuration.logger)
            poisoned.reject(after: death.cause)
        }
        guard let (_, next) = judgement else { return .stop }
        if next != .stop {
            configuration.logger.notice("worker incarnation \(death.incarnation) ended: \(death.cause)")
        }
        return next
    }

    private func report(of life: Life) -> CrashReport? {
        life.worker.map { worker in
            CrashReport(
                group: configuration.group,
                processID: worker.processID,
                lifetime: life.start.duration(to: .now),
                output: worker.output.lines
            )
        }
    }

    /// The machine, or a limit of this process, has no room for a worker at the moment. That is not the worker's doing.
    private func lacked(_ reason: String) -> SupervisorState.Next {
        let restart = ask { core in
            core.reset = Reset()
            return core.state.lacked(reason, chance: .random(in: 0...1, using: &core.generator))
        }
        guard let restart else { return .stop }
        configuration.logger.warning(
            "no room for a worker, attempt \(restart.attempt), again in \(restart.delay): \(reason)"
        )
        return .restart(restart)
    }

    private func act(on next: SupervisorState.Next) async {
        switch next {
        case .restart(let restart):
            channels.report(.restarting(restart))
            // Until a stop. Cancelled: the loop ends.
            await core.withLock(\.reset.asked).wait(atMost: restart.delay, clock: clock)
        case .giveUp(let failure, let cause, let isError, let probe):
            if isError { configuration.logger.error("\(failure.reason)") }
            channels.report(.failed(failure))
            close(failure.reason, cause)
            await waitForReset(orProbeAfter: probe)
        case .stop: break
        }
    }

    private func waitForReset(orProbeAfter probe: Duration?) async {
        let reset = core.withLock(\.reset)
        if let probe {
            await reset.asked.wait(atMost: probe, clock: clock)
            if !reset.asked.isComplete, ask({ $0.state.probe() }) {
                configuration.logger.notice("the worker that was given up is tried again")
                // Who asked in this moment asks again.
                reset.done.complete()
                return
            }
        } else {
            // Cancelled: the coordinator stops.
            try? await reset.asked.value
        }
        if ask({ $0.state.reset() }) { revive() }
        reset.done.complete()
    }

    /// Takes events again, unless it was stopped or given up since.
    private func revive() {
        isClosed.withLock { isClosed in
            guard isClosed, core.withLock(\.state.isGoing) else { return }
            isClosed = false
            channels.revive()
            channels.report(.connecting)
        }
    }

    private func close(_ reason: String, _ cause: Interruption.Cause) {
        let incarnation = core.withLock(\.state.incarnation)
        isClosed.withLock { isClosed in
            isClosed = true
            channels.close(reason: reason, interruption: Interruption(cause: cause, incarnation: incarnation))
        }
    }

    // MARK: From the session

    func opened(_ session: Session, to peer: Handshake.Peer) {
        build.welcome(peer.build)
        let serving = core.withLock { $0.state.served(at: .now) }
        // It came into being while a stop was under way: it gets nothing to do.
        guard let serving else { return session.end(.shuttingDown, reason: "the coordinator stops") }
        // It was given up, and is tried again.
        revive()
        let spoken = ExpectedBuild.spoken(peer.build)
        configuration.logger.info("worker \(serving.processID) serving, incarnation \(serving.incarnation), \(spoken)")
        channels.report(.serving(serving))
    }

    func closed(_ session: Session, error: SessionError?) {
        let life = core.withLock { core -> Life? in
            // Of a life that is over, seen late: the present one goes on.
            guard core.life.session === session else { return nil }
            switch error?.code {
            case .timeout: core.state.sessionEnded(.silent)
            case .refused: core.state.sessionEnded(.refused(error?.detail ?? ""))
            default: core.state.sessionEnded(.ended)
            }
            return core.life
        }
        if let error { configuration.logger.warning("the session of the worker ended: \(error)") }
        guard let life else { return }
        for oneShot in [life.drained, life.sessionEnded, life.stop] { oneShot.complete() }
    }

    func drained() {
        let drained = core.withLock { core -> OneShot<Void>? in
            guard case .draining = core.state.phase else { return nil }
            return core.life.drained
        }
        drained?.complete()
    }

    /// A state of the present life was acknowledged.
    func progressed() {
        core.withLock { $0.state.progressed() }
    }

    // MARK: By hand

    /// Starts the worker again after the supervisor gave up, and returns when events are taken again; before that it
    /// does nothing.
    func reset() async {
        while true {
            let (reset, wasProbing) = core.withLock { core -> (Reset?, Bool) in
                if case .givenUp = core.state.phase { return (core.reset, false) }
                return (nil, core.state.reset())
            }
            guard let reset else {
                if wasProbing { revive() }
                return
            }
            reset.asked.complete()
            // Cancelled: the reset goes on.
            guard (try? await reset.done.value) != nil else { return }
            // It may have been tried again in the same moment.
            guard core.withLock(\.state.isProbing) else { return }
        }
    }

    /// Lets the worker finish what is running, within the limit, then says goodbye and waits for `run` to return. That
    /// is once the process is gone, which the cancellation of its task enforces if goodbye does not.
    func stop(within limit: Duration) async {
        let (order, life, reset) = core.withLock { ($0.state.stop(), $0.life, $0.reset) }
        switch order {
        case .drain:
            channels.report(.draining)
            life.session?.sendControl(Drain(timeoutMilliseconds: UInt32(clamping: limit.milliseconds)))
            await life.drained.wait(atMost: limit + Self.cancelLimit, clock: clock)
            life.session?.end(.normal, reason: "the coordinator stops")
            life.stop.complete()
            await finished.wait(atMost: configuration.teardownLimit, clock: clock)
        case .leave:
            life.session?.end(.shuttingDown, reason: "the coordinator stops")
            life.stop.complete()
            // Behind SIGTERM and SIGKILL, if it comes to that.
            await finished.wait(atMost: configuration.teardownLimit * 2 + Self.reapLimit, clock: clock)
        case .join:
            await finished.wait(atMost: limit + Self.cancelLimit + configuration.teardownLimit, clock: clock)
        case .wake:
            // What waits for a worker hears that there will be none.
            reset.asked.complete()
            await finished.wait(atMost: configuration.teardownLimit, clock: clock)
        }
    }
}
