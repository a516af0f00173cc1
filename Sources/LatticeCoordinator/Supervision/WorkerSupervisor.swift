import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire

/// Keeps one worker running: starts it, opens its session, and starts the next incarnation when it ends.
///
/// `SupervisorState` decides what to do. This class carries out the decisions, outside its lock.
final class WorkerSupervisor: SessionOwner {
    struct Core {
        var state: SupervisorState
        var generator: SeededGenerator
        /// The state of the present incarnation, or of the last one.
        var current = IncarnationState()
        /// The permit of the present incarnation, or of the next one.
        var permit = GroupPermit()
        /// The worker of the next incarnation, if it was launched as a standby.
        var standby: LaunchedWorker?
        /// The worker of each session that has not ended. The session of an earlier incarnation may end after the next
        /// incarnation has begun.
        var workers: [ObjectIdentifier: RuntimeEvent.Worker] = [:]

        /// The worker that serves, if one does.
        var serving: HostStatus.Serving? {
            var serving = state.serving
            serving?.problem = current.problem
            return serving
        }
    }

    /// The state of one incarnation of the worker.
    struct IncarnationState {
        /// The worker that was launched as a standby, if there was one.
        var standby: LaunchedWorker?
        /// The session with the worker, or nil until its process exists.
        var session: Session?
        /// The worker's process, or nil until it exists.
        var worker: StartedWorker?
        /// The worker for the owners of its tasks, from its handshake on.
        var serving: ServingWorker?
        /// The time of the first heartbeat that the worker has not answered, or nil if it answers. A worker does not
        /// answer while it is stuck, while it crashes, or while a turn takes long.
        var silentSince: ContinuousClock.Instant?
        /// Whether the worker is checked repeatedly.
        var isWatched = false
        /// The progress of the worker's turns at the last check. A worker whose turns begin and end is making progress,
        /// although a ping waits behind the events that it has already read.
        var stallDetector = StallDetector()
        /// The problem that the worker itself reports.
        var problem: String?
        let start = ContinuousClock.now
        let sessionEnded = OneShot<Void>()
        let drained = OneShot<Void>()
        /// Completed when a worker that leaves for a tool has answered its last call.
        let answered = OneShot<Void>()
        /// Completed when nothing of the incarnation runs any more.
        let ended = OneShot<Void>()
        /// Completed when the process is to end.
        let stop: OneShot<Void>

        init(_ standby: LaunchedWorker? = nil) {
            self.standby = standby
            stop = standby?.stop ?? OneShot()
        }

        /// Ends the waits for what runs. If the incarnation is not asked to leave yet, nothing is waited for then.
        func endDrain() {
            drained.complete()
            answered.complete()
        }
    }

    /// The time that a worker gets to report the ends of work that was cancelled at the end of a drain, and again to
    /// answer the last call.
    static let cancelTimeout: Duration = .milliseconds(250)
    /// The time that a killed worker gets to disappear and to have its last output read.
    static let reapTimeout: Duration = .milliseconds(250)

    /// The channels to the worker. They outlive its incarnations.
    let channels: ClientChannels
    /// The sender of the coordinator's own events. It identifies what this coordinator remembers.
    let sender: EventSender
    /// The settings, some of which change while the worker runs.
    let settings: LiveConfiguration
    var configuration: CoordinatorConfiguration { settings.value }
    let events: RuntimeEvents
    private let quarantine: Quarantine
    /// The features that a worker must serve.
    let features: [FeatureAdvertisement]
    let build: SharedBuild
    let launcher: any WorkerLauncher
    let clock: any Clock<Duration>
    /// The membership in a group that coordinates starts and ends, or nil if no group does.
    let membership: GroupMembership?
    let coordinatorID: UInt64
    /// Where a worker that serves is found by the ID of its node.
    let servingWorkers: ServingWorkers
    /// The node that sends and receives calls of actors.
    let node: ActorNode
    let core: Locked<Core>
    /// Whether the channels accept nothing because the worker was given up or stopped. The lock is held while the
    /// channels are closed or reopened, so that the last change takes effect. Where both locks are held, this one is
    /// taken before `core`.
    private let isClosed = Locked(false)
    /// Completed when every channel has ended.
    let finished = OneShot<Void>()

    /// - Parameters:
    ///   - build: The build that all workers of the group must have.
    ///   - settings: The configuration, if its owner changes it while the worker runs. Nil if it stays.
    ///   - membership: The membership in a group that coordinates starts and ends, or nil if no group does.
    ///   - coordinatorID: The ID of this coordinator process, which the workers receive.
    ///   - node: The node that sends and receives calls of actors.
    ///   - servingWorkers: Where a worker that serves is found by the ID of its node.
    init(
        launcher: any WorkerLauncher,
        build: SharedBuild = SharedBuild(.first),
        features: [any HostedFeature.Type] = [],
        configuration: CoordinatorConfiguration,
        settings: LiveConfiguration? = nil,
        eventLoop: any EventLoop,
        sender: EventSender,
        quarantine: Quarantine = Quarantine(),
        membership: GroupMembership? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        coordinatorID: UInt64 = 0,
        node: ActorNode = ActorNode(isHub: true, title: "coordinator"),
        servingWorkers: ServingWorkers = ServingWorkers(),
        seed: UInt64
    ) {
        self.sender = sender
        self.settings = settings ?? LiveConfiguration(configuration)
        events = configuration.events
        self.quarantine = quarantine
        self.membership = membership
        self.launcher = launcher
        self.build = build
        self.coordinatorID = coordinatorID
        self.node = node
        self.servingWorkers = servingWorkers
        self.features = features.map { FeatureAdvertisement($0, level: .domain) }
        self.clock = clock
        core = Locked(
            Core(
                state: SupervisorState(
                    policy: configuration.restart,
                    heartbeatTimeout: configuration.heartbeatTimeout,
                    turnTimeout: configuration.limits.turnTimeout ?? .zero
                ),
                generator: SeededGenerator(seed: seed)
            )
        )
        channels = ClientChannels(eventLoop: eventLoop, as: .acceptor)
        channels.connect(self)
    }

    // MARK: Running

    /// Runs the worker until the calling task is cancelled, or until `stop` has ended the worker.
    func run() async {
        while await obtainsPermit(), let incarnation = start() {
            await act(on: await runIncarnation(incarnation))
        }
        close("the coordinator stopped", .disconnected)
        await dismissStandby()
        finished.complete()
        membership?.left()
    }

    /// Waits until the group allows the next incarnation. Returns at once if no group coordinates the worker.
    ///
    /// - Returns: Whether an incarnation may start. `start` notices a stop itself.
    private func obtainsPermit() async -> Bool {
        guard let membership else { return true }
        while true {
            let permit = core.withLock { $0.state.phase == .stopped ? nil : $0.permit }
            guard let permit else { return false }
            membership.ready(permit)
            // The answer is nil after a cancellation.
            guard case .giveUp(let failure)? = await permit.answer.wait() else { return true }
            guard updateCore({ $0.state.giveUp(failure) }) else { return false }
            channels.report(.failed(failure))
            events.emit(.workerGivenUp, .workerGivenUp(member, failure, isExpected: true))
            close(failure.reason, .group(configuration.group))
            await dismissStandby()
            await waitForReset(orProbeAfter: nil)
        }
    }

    /// Begins the next incarnation, if one is to start.
    func start() -> UInt64? {
        updateCore { core in
            let incarnation = core.state.start()
            core.current = IncarnationState(core.takeStandby(for: incarnation))
            return incarnation
        }
    }

    /// Applies an input to the state on behalf of the task that runs the worker. A cancellation of that task is treated
    /// as a stop.
    private func updateCore<Answer>(_ question: (inout sending Core) -> sending Answer) -> Answer {
        let isCancelled = Task.isCancelled
        return core.withLock { core in
            if isCancelled { _ = core.state.stop() }
            return question(&core)
        }
    }

    /// Runs an incarnation until it is over. If its group or a tool requests an end, lets it leave.
    private func runIncarnation(_ incarnation: UInt64) async -> SupervisorState.Next {
        let (permit, current) = core.withLock { ($0.permit, $0.current) }
        defer { current.ended.complete() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                if let order = await permit.end.wait() { await leave(order) }
            }
            group.addTask { [self] in await hasten(current, for: permit) }
            let next = await runToEnd(incarnation)
            group.cancelAll()
            await group.waitForAll()
            channels.resume()
            return next
        }
    }

    private func runToEnd(_ incarnation: UInt64) async -> SupervisorState.Next {
        let current = core.withLock(\.current)
        let worker = current.standby ?? launch(incarnation, stop: current.stop)
        worker.use { [self] worker, session in
            let started = self.worker(incarnation, worker.processID)
            core.withLock { core in
                core.state.launched(processID: worker.processID)
                core.current.session = session
                core.current.worker = worker
                core.workers[ObjectIdentifier(session)] = started
            }
            events.emit(.workerStarted, .workerStarted(started))
        }
        let end = await worker.end
        let session = core.withLock(\.current.session)
        if let session {
            // The process is gone. The rest of its messages is read until its end of the connection is closed.
            await current.sessionEnded.wait(atMost: configuration.teardownTimeout, clock: clock)
            session.connection.close()
            await current.sessionEnded.wait(atMost: configuration.teardownTimeout, clock: clock)
        }
        do throws(TransportError) {
            return ended(try end.get())
        } catch {
            // A worker that has served did not lack resources when it started.
            if error.isLackOfResources, !core.withLock(\.state.hasServed) { return lacked(error.message) }
            events.emit(
                .workerStartFailed,
                .workerStartFailed(member, incarnation: incarnation, reason: "\(error)")
            )
            return ended(.exit(code: 127))
        }
    }

    /// Handles the end of the worker, after which nothing runs in it any more.
    func ended(_ cause: Interruption.Cause) -> SupervisorState.Next {
        let (end, wasAskedToLeave, present, crash) = core.withLock { core in
            let crash = core.current.worker?.turns?.crash
            if let crash { _ = core.state.crashed(by: crash.signal) }
            return (core.state.death(cause), core.state.isAskedToLeave, core.current, crash)
        }
        let process = present.worker.map { " (process \($0.processID))" } ?? ""
        let subject = "\(title)\(process)" + (end.map { ", incarnation \($0.incarnation)," } ?? "")
        let report = end.flatMap { self.report(of: present, $0.incarnation) }
        let death = end.map { Interruption(cause: $0.cause, incarnation: $0.incarnation, report: report) }
        let isExcused = present.serving?.isExcused ?? false
        endServing(present, death, wasAskedToLeave)
        if let session = present.session {
            node.lost(session, because: "the \(subject) ended: \(end?.cause ?? cause)")
        }
        guard let death else { return .stop }
        let verdict = channels.detach(
            interruption: death,
            blame: wasAskedToLeave ? .nobody : Blame(death.cause, in: present.worker?.turns?.turn),
            sender: sender
        )
        let excuse = isExcused ? RestartBudget.Excuse.task : verdict.excuse
        let turnTimeout = configuration.limits.turnTimeout
        let (judgement, wasLeaving, isDone, permit) = updateCore { core in
            core.permit = GroupPermit()
            core.state.limitsTurns(to: turnTimeout)
            let wasLeaving = core.state.isLeaving
            let judgement = core.state.ended(
                cause,
                excuse: excuse,
                reporting: crash?.elapsed ?? .zero,
                at: .now,
                chance: .random(in: 0...1, using: &core.generator)
            )
            return (judgement, wasLeaving, core.state.isDone, core.permit)
        }
        if let poisoned = verdict.poisoned {
            quarantine.add(poisoned, sender: sender, of: member, death.cause, verdict.report?.crash, events)
            poisoned.reject(after: death.cause, report: verdict.report)
        }
        guard let (_, next) = judgement else { return .stop }
        emitTermination(death, of: present.worker?.processID, verdict.report?.crash, next)
        let lost = GroupState.Death(incarnation: death.incarnation, cause: death.cause, excuse: excuse)
        switch next {
        case .restart: membership?.ended(wasLeaving ? .inOrder : .died(lost), permit)
        case .giveUp: membership?.ended(isDone ? .done(death.cause) : .givenUp, permit)
        case .stop: break
        }
        return next
    }

    /// Handles a start that failed because the machine, or a limit of this process, had no resources for a worker.
    private func lacked(_ reason: String) -> SupervisorState.Next {
        let (restart, wasLeaving, permit) = updateCore { core in
            core.permit = GroupPermit()
            let wasLeaving = core.state.isLeaving
            let restart = core.state.lacked(reason, chance: .random(in: 0...1, using: &core.generator))
            return (restart, wasLeaving, core.permit)
        }
        guard let restart else { return .stop }
        membership?.ended(wasLeaving ? .inOrder : .lacked, permit)
        events.emit(
            .workerLacksResources,
            .workerLacksResources(member, attempt: restart.attempt, delay: restart.delay, reason: reason)
        )
        return .restart(restart)
    }

    private func act(on next: SupervisorState.Next) async {
        switch next {
        case .restart(let restart):
            channels.report(.restarting(restart))
            // The answer comes with a stop, or when the group is given up. After a cancellation the loop ends.
            await core.withLock(\.permit.answer).wait(atMost: restart.delay, clock: clock)
        case .giveUp(let failure, let cause, let isError, let probe):
            events.emit(.workerGivenUp, .workerGivenUp(member, failure, isExpected: !isError))
            channels.report(.failed(failure))
            close(failure.reason, cause)
            await dismissStandby()
            await waitForReset(orProbeAfter: probe)
        case .stop: break
        }
    }

    private func waitForReset(orProbeAfter probe: Duration?) async {
        let permit = core.withLock(\.permit)
        // A caller that waits for this checks the result, or asks again.
        defer { permit.revived.complete() }
        if let probe {
            await permit.revival.wait(atMost: probe, clock: clock)
            if !permit.revival.isComplete, begin({ $0.probe() }) {
                events.emit(.workerProbed, .workerProbed(member))
                return
            }
        }
        // The answer is nil after a cancellation, which means that the coordinator stops.
        switch await permit.revival.wait() {
        case .probe?: _ = begin { $0.retry() }
        case .manual?, nil: if begin({ $0.reset() }) { revive() }
        }
    }

    /// Prepares a new incarnation with a new permit.
    private func begin(_ question: (inout SupervisorState) -> Bool) -> Bool {
        updateCore { core in
            guard question(&core.state) else { return false }
            core.permit = GroupPermit()
            return true
        }
    }

    /// Accepts events again, unless the worker was stopped or given up in the meantime.
    func revive() {
        isClosed.withLock { isClosed in
            guard isClosed, core.withLock(\.state.isActive) else { return }
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
