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
    struct Core {
        var state: SupervisorState
        var generator: SeededGenerator
        /// The present life, or the last one.
        var life = Life()
        /// That of the present life or of the one that is to come.
        var turn = GroupPermit()
        /// The worker of the next life, if it is there before it is needed.
        var standby: LaunchedWorker?

        /// The worker that serves, if one does.
        var serving: HostStatus.Serving? {
            var serving = state.serving
            serving?.problem = life.problem
            return serving
        }
    }

    /// What happens once in a life of the worker.
    struct Life {
        /// The one that was there before it was needed, if there was one.
        var standby: LaunchedWorker?
        /// nil until its process is there.
        var session: Session?
        /// Likewise.
        var worker: StartedWorker?
        /// When it was asked, if its answer is late, since it stands still, crashes, or a turn takes long.
        var silentSince: ContinuousClock.Instant?
        /// Whether somebody looks at its turns again and again.
        var isWatched = false
        /// What its turns did when they were looked at last: as long as they begin and end it works. What it has read
        /// it handles event by event, and a ping waits behind them.
        var standstill = StallDetector()
        /// What keeps it from working, as it says itself.
        var problem: String?
        let start = ContinuousClock.now
        let sessionEnded = OneShot<Void>()
        let drained = OneShot<Void>()
        /// The process is to end.
        let stop: OneShot<Void>

        init(_ standby: LaunchedWorker? = nil) {
            self.standby = standby
            stop = standby?.stop ?? OneShot()
        }
    }

    /// How long a worker may take to say how what it cancelled at the end of a drain has ended, and again to answer the
    /// last call.
    static let cancelTimeout: Duration = .milliseconds(250)
    /// How long a worker that was killed may take to be gone, with the last of its output.
    static let reapTimeout: Duration = .milliseconds(250)

    /// To the worker, over one life after the other.
    let channels: ClientChannels
    /// Names what this coordinator remembers; its own events come from it.
    let sender: EventSender
    let configuration: CoordinatorConfiguration
    private let quarantine: Quarantine
    /// What a worker has to serve.
    private let features: [FeatureAdvertisement]
    let build: SharedBuild
    let launcher: any WorkerLauncher
    let clock: any Clock<Duration>
    /// Its place in a group that says when it starts and ends; nil: nobody does.
    let membership: GroupMembership?
    private let life: UInt64
    /// Takes and makes calls of actors.
    let node: ActorNode
    let core: Locked<Core>
    /// Whether the channels take nothing, since the worker was given up or stopped. Held while they are closed or
    /// opened again, so that the last word holds; before `core` where both are.
    private let isClosed = Locked(false)
    /// Complete when every channel has its end.
    let finished = OneShot<Void>()

    /// - Parameters:
    ///   - build: Which build the workers have to be, those of others in the group too.
    ///   - life: This process, as the workers hear of it.
    ///   - membership: Its place in a group that says when it starts and ends; nil: nobody does.
    ///   - node: Takes and makes calls of actors.
    init(
        launcher: any WorkerLauncher,
        build: SharedBuild = SharedBuild(.first),
        features: [any HostedFeature.Type] = [],
        configuration: CoordinatorConfiguration,
        eventLoop: any EventLoop,
        memory: EventSender,
        quarantine: Quarantine = Quarantine(),
        membership: GroupMembership? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        life: UInt64 = 0,
        node: ActorNode = ActorNode(isHub: true, title: "coordinator"),
        seed: UInt64
    ) {
        sender = memory
        self.configuration = configuration
        self.quarantine = quarantine
        self.membership = membership
        self.launcher = launcher
        self.build = build
        self.life = life
        self.node = node
        self.features = features.map { FeatureAdvertisement($0, level: .domain) }
        self.clock = clock
        core = Locked(
            Core(
                state: SupervisorState(
                    policy: configuration.restart,
                    silence: configuration.heartbeatTimeout,
                    turn: configuration.limits.turn ?? .zero
                ),
                generator: SeededGenerator(seed: seed)
            )
        )
        channels = ClientChannels(eventLoop: eventLoop, as: .acceptor)
        channels.connect(self)
    }

    // MARK: Running

    /// Runs until the calling task is cancelled, or `stop` ended the worker.
    func run() async {
        while await getsTurn(), let incarnation = start() {
            await act(on: await runLife(incarnation))
        }
        close("the coordinator stopped", .disconnected)
        await dismissStandby()
        finished.complete()
        membership?.left()
    }

    /// Waits until the group lets the next life begin, if there is one that says so.
    ///
    /// - Returns: Whether there may be one: a stop is seen by `start`.
    private func getsTurn() async -> Bool {
        guard let membership else { return true }
        while true {
            let turn = core.withLock { $0.state.phase == .stopped ? nil : $0.turn }
            guard let turn else { return false }
            membership.ready(turn)
            // nil: cancelled.
            guard case .giveUp(let failure)? = await turn.answer.wait() else { return true }
            guard ask({ $0.state.giveUp(failure) }) else { return false }
            channels.report(.failed(failure))
            close(failure.reason, .group(configuration.group))
            await dismissStandby()
            await waitForReset(orProbeAfter: nil)
        }
    }

    /// Begins the next life, if there is to be one.
    func start() -> UInt64? {
        ask { core in
            let incarnation = core.state.start()
            core.life = Life(core.takeStandby(for: incarnation))
            return incarnation
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

    /// Runs a life until it is over, or until it has ended as its group has asked for.
    private func runLife(_ incarnation: UInt64) async -> SupervisorState.Next {
        guard membership != nil else { return await runWholeLife(incarnation) }
        let turn = core.withLock(\.turn)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                if let name = await turn.end.wait() { await leave(for: name) }
            }
            let next = await runWholeLife(incarnation)
            group.cancelAll()
            await group.waitForAll()
            channels.resume()
            return next
        }
    }

    private func runWholeLife(_ incarnation: UInt64) async -> SupervisorState.Next {
        let life = core.withLock(\.life)
        let worker = life.standby ?? launch(incarnation, stop: life.stop)
        worker.use { [self] worker, session in
            core.withLock { core in
                core.state.launched(processID: worker.processID)
                core.life.session = session
                core.life.worker = worker
            }
        }
        let end = await worker.end
        let session = core.withLock(\.life.session)
        if let session {
            // The process is gone; what it wrote last is still read, until its end of the connection is seen to close.
            await life.sessionEnded.wait(atMost: configuration.teardownTimeout, clock: clock)
            session.connection.close()
            await life.sessionEnded.wait(atMost: configuration.teardownTimeout, clock: clock)
        }
        do throws(TransportError) {
            return ended(try end.get())
        } catch {
            // One that has served was not lacking anything when it began, whatever it says.
            if error.isLackOfResources, !core.withLock(\.state.hasServed) { return lacked(error.message) }
            configuration.logger.error("the worker cannot be started: \(error)")
            return ended(.exit(code: 127))
        }
    }

    func makeSession(
        over connection: any Connection,
        _ launch: LaunchVariable,
        handler: any SessionHandler
    ) -> Session {
        let own = UInt32(ProcessIdentity.own)
        let welcome = Welcome(
            role: .coordinator,
            life: life,
            processID: own,
            features: [],
            memory: sender.bytes,
            node: node.id.bytes
        )
        var acceptance = Handshake.Acceptance(welcome, of: [.worker])
        acceptance.token = launch.token
        acceptance.expectedIncarnation = launch.incarnation
        acceptance.requiredFeatures = features
        acceptance.expectedBuild = build.expected
        return Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: configuration.limits.liveness(
                Liveness(interval: configuration.heartbeatInterval, limit: configuration.heartbeatTimeout)
            ),
            handshakeTimeout: configuration.restart.bootTimeout,
            maximumPayload: configuration.maximumStateBytes,
            handler: handler
        )
    }

    /// The worker is gone, and with it what ran there.
    func ended(_ cause: Interruption.Cause) -> SupervisorState.Next {
        let (end, wasAskedToLeave, present, crash) = core.withLock { core in
            let crash = core.life.worker?.turns?.crash
            if let crash { _ = core.state.crashed(by: crash.signal) }
            return (core.state.death(cause), core.state.isAskedToLeave, core.life, crash)
        }
        if let session = present.session {
            let process = present.worker.map { " (process \($0.processID))" } ?? ""
            let incarnation = end.map { ", incarnation \($0.incarnation)," } ?? ""
            node.lost(session, because: "the \(title)\(process)\(incarnation) ended: \(end?.cause ?? cause)")
        }
        guard var death = end else { return .stop }
        let report = report(of: present, death.incarnation)
        death = Interruption(cause: death.cause, incarnation: death.incarnation, report: report)
        let life = channels.detach(
            interruption: death,
            blame: wasAskedToLeave ? .nobody : Blame(death.cause, in: present.worker?.turns?.turn),
            sender: sender
        )
        let (judgement, wasLeaving, isDone, turn) = ask { core in
            core.turn = GroupPermit()
            let wasLeaving = core.state.isLeaving
            let judgement = core.state.ended(
                cause,
                excuse: life.excuse,
                reporting: crash?.elapsed ?? .zero,
                at: .now,
                chance: .random(in: 0...1, using: &core.generator)
            )
            return (judgement, wasLeaving, core.state.isDone, core.turn)
        }
        if let poisoned = life.poisoned {
            quarantine.add(poisoned, sender: sender, death.cause, life.report?.crash, logger: configuration.logger)
            poisoned.reject(after: death.cause, report: life.report)
        }
        guard let (_, next) = judgement else { return .stop }
        if next != .stop {
            configuration.logger.notice("worker incarnation \(death.incarnation) ended: \(death.cause)")
        }
        let lost = GroupState.Death(life: death.incarnation, cause: death.cause, excuse: life.excuse)
        switch next {
        case .restart: membership?.ended(wasLeaving ? .inOrder : .died(lost), turn)
        case .giveUp: membership?.ended(isDone ? .done(death.cause) : .givenUp, turn)
        case .stop: break
        }
        return next
    }

    /// The worker, for people.
    var title: String { configuration.group.isEmpty ? "worker" : "worker \"\(configuration.group)\"" }

    private func report(of life: Life, _ incarnation: UInt64) -> CrashReport? {
        life.worker.map { worker in
            CrashReport(
                group: configuration.group,
                incarnation: incarnation,
                processID: worker.processID,
                lifetime: life.start.duration(to: .now),
                output: worker.output.lines
            )
        }
    }

    /// The machine, or a limit of this process, has no room for a worker at the moment. That is not the worker's doing.
    private func lacked(_ reason: String) -> SupervisorState.Next {
        let (restart, wasLeaving, turn) = ask { core in
            core.turn = GroupPermit()
            let wasLeaving = core.state.isLeaving
            let restart = core.state.lacked(reason, chance: .random(in: 0...1, using: &core.generator))
            return (restart, wasLeaving, core.turn)
        }
        guard let restart else { return .stop }
        membership?.ended(wasLeaving ? .inOrder : .lacked, turn)
        configuration.logger.warning(
            "no room for a worker, attempt \(restart.attempt), again in \(restart.delay): \(reason)"
        )
        return .restart(restart)
    }

    private func act(on next: SupervisorState.Next) async {
        switch next {
        case .restart(let restart):
            channels.report(.restarting(restart))
            // Until a stop, or until the group is given up. Cancelled: the loop ends.
            await core.withLock(\.turn.answer).wait(atMost: restart.delay, clock: clock)
        case .giveUp(let failure, let cause, let isError, let probe):
            if isError { configuration.logger.error("\(failure.reason)") }
            channels.report(.failed(failure))
            close(failure.reason, cause)
            await dismissStandby()
            await waitForReset(orProbeAfter: probe)
        case .stop: break
        }
    }

    private func waitForReset(orProbeAfter probe: Duration?) async {
        let turn = core.withLock(\.turn)
        // Who asks at the end of this waits for what comes of it, or asks again.
        defer { turn.revived.complete() }
        if let probe {
            await turn.revival.wait(atMost: probe, clock: clock)
            if !turn.revival.isComplete, begin({ $0.probe() }) {
                configuration.logger.notice("the worker that was given up is tried again")
                return
            }
        }
        // nil: cancelled, as the coordinator stops.
        switch await turn.revival.wait() {
        case .probe?: _ = begin { $0.retry() }
        case .byHand?, nil: if begin({ $0.reset() }) { revive() }
        }
    }

    /// Begins anew, with a turn of its own.
    private func begin(_ question: (inout SupervisorState) -> Bool) -> Bool {
        ask { core in
            guard question(&core.state) else { return false }
            core.turn = GroupPermit()
            return true
        }
    }

    /// Takes events again, unless it was stopped or given up since.
    func revive() {
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
}
