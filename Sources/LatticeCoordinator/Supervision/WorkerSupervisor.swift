import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

/// Keeps one worker running: starts it, gives it its session, and starts the next incarnation when it ends.
///
/// What to do is asked of `RestartState`; this acts.
final class WorkerSupervisor: Sendable {
    struct Core {
        var restarts: RestartState
        var incarnation: UInt64 = 0
        /// Which build its workers are.
        var build: ExpectedBuild
        var processID: Int32 = 0
        var session: Session?
        var stop: Promise<Void>?
        /// Fulfilled when the session has ended.
        var ended: Promise<Void>?
        var generator: SeededGenerator
        /// Why the session ended, if that explains the death better than the process's status.
        var verdict: Interruption.Cause?
        /// Why the worker was not taken in, if it was not.
        var refusal: String?
        var drained: Promise<Void>?
        var isStopping = false
        /// While nothing runs because the supervisor gave up.
        var reset: Reset?
    }

    /// A start by hand: asked for, and done.
    struct Reset {
        let asked = Promise<Void>()
        let done = Promise<Void>()
    }

    /// How long a worker may take to say how what it cancelled at the end of a drain has ended.
    static let cancelLimit: Duration = .milliseconds(250)

    let opener: Opener
    /// Names what this coordinator remembers; its own events come from it.
    let sender: EventSender
    /// What a worker has to serve.
    let features: [FeatureAdvertisement]
    let process: WorkerProcess
    let configuration: CoordinatorConfiguration
    let clock: any Clock<Duration>
    let life: UInt64
    let core: Locked<Core>
    /// Fulfilled when every channel has its end.
    private let finished = Promise<Void>()

    /// - Parameter output: Where the worker's output goes.
    init(
        executable: WorkerExecutable,
        features: [any HostedFeature.Type] = [],
        configuration: CoordinatorConfiguration,
        output: Logger? = nil,
        reactor: Reactor,
        memory: EventSender,
        clock: any Clock<Duration> = ContinuousClock(),
        life: UInt64 = 0,
        seed: UInt64
    ) {
        sender = memory
        self.configuration = configuration
        self.life = life
        self.features = features.map { FeatureAdvertisement($0, level: .domain) }
        self.clock = clock
        process = WorkerProcess(
            executable: executable,
            arguments: configuration.workerArguments,
            environment: configuration.workerEnvironment,
            teardownLimit: configuration.teardownLimit,
            reactor: reactor,
            logger: output ?? configuration.logger
        )
        let restarts = RestartState(policy: configuration.restart)
        core = Locked(
            Core(
                restarts: restarts,
                build: executable.isOwn ? .only(ProgramBuild.own) : .first,
                generator: SeededGenerator(seed: seed)
            )
        )
        let events = SupervisorEvents()
        opener = Opener(
            eventLoop: reactor,
            onOpened: { events.opened($0) },
            onDrained: { events.drained() },
            onClosed: { events.closed($0, $1) }
        )
        events.connect(self)
    }

    // MARK: Running

    /// Runs until the calling task is cancelled.
    func run() async {
        while !Task.isCancelled, !core.withLock(\.isStopping) {
            let cause: Interruption.Cause
            switch await runIncarnation() {
            case .ended(let end): cause = end
            case .lacked(let reason):
                await waitForResources(reason)
                continue
            }
            let incarnation = core.withLock(\.incarnation)
            opener.detach(interruption: Interruption(cause: cause, incarnation: incarnation))
            if Task.isCancelled || core.withLock(\.isStopping) { break }
            configuration.logger.notice("worker incarnation \(incarnation) ended: \(cause)")
            await act(on: decide(cause), after: cause, incarnation: incarnation)
        }
        finish(.closed.with(reason: "the coordinator stopped"), .disconnected)
        finished.fulfil(.success(()))
    }

    /// The machine, or a limit of this process, has no room for a worker at the moment. That is not the worker's doing.
    private func waitForResources(_ reason: String) async {
        let (delay, attempt) = core.withLock { core in
            let chance = Double.random(in: 0...1, using: &core.generator)
            return core.restarts.lacked(chance: chance)
        }
        configuration.logger.warning("no room for a worker, attempt \(attempt), again in \(delay): \(reason)")
        opener.report(.restarting(.init(attempt: attempt, delay: delay, cause: .lackOfResources(reason))))
        // Cancelled: the loop ends.
        try? await clock.sleep(for: delay)
    }

    private func decide(_ cause: Interruption.Cause) -> RestartState.Decision {
        core.withLock { core in
            if let refusal = core.refusal { return core.restarts.refused(refusal) }
            let chance = Double.random(in: 0...1, using: &core.generator)
            return core.restarts.ended(cause, at: .now, chance: chance)
        }
    }

    private func act(on decision: RestartState.Decision, after cause: Interruption.Cause, incarnation: UInt64) async {
        switch decision {
        case .restart(let delay, let attempt):
            opener.report(.restarting(.init(attempt: attempt, delay: delay, cause: cause)))
            // Cancelled: the loop ends.
            try? await clock.sleep(for: delay)
        case .stop:
            await giveUp(HostFailure(reason: "the worker ended: \(cause)"), cause)
        case .giveUp(let failure):
            configuration.logger.error("\(failure.reason)")
            await giveUp(failure, cause)
        }
    }

    private func giveUp(_ failure: HostFailure, _ cause: Interruption.Cause) async {
        // First: whoever hears of it may reset at once.
        let reset = Reset()
        core.withLock { $0.reset = reset }
        opener.report(.failed(failure))
        finish(.closed.with(reason: failure.reason), cause)
        // Cancelled: the coordinator stops.
        try? await reset.asked.value
        let isStopping = core.withLock { core in
            core.reset = nil
            core.restarts.reset()
            return core.isStopping
        }
        if !isStopping, !Task.isCancelled {
            opener.revive()
            opener.report(.connecting)
        }
        reset.done.fulfil(.success(()))
    }

    private func finish(_ rejection: EventRejection, _ cause: Interruption.Cause) {
        opener.close(rejection, interruption: Interruption(cause: cause, incarnation: core.withLock(\.incarnation)))
    }

    // MARK: From the session

    func opened(_ peer: Handshake.Peer) {
        let serving = core.withLock { core in
            core.restarts.served(at: .now)
            core.build.welcome(peer.build)
            return HostStatus.Serving(incarnation: core.incarnation, processID: core.processID)
        }
        let build = ExpectedBuild.spoken(peer.build)
        configuration.logger.info(
            "worker \(serving.processID) serving, incarnation \(serving.incarnation), \(build)"
        )
        opener.report(.serving(serving))
    }

    func closed(_ session: Session, _ error: SessionError?) {
        let promises = core.withLock { core -> [Promise<Void>?] in
            // Of a life that is over, seen late: the present one goes on.
            guard core.session === session else { return [] }
            switch error?.code {
            case .timeout: core.verdict = .hang
            case .refused: core.refusal = error?.detail
            default: break
            }
            core.session = nil
            return [core.drained, core.ended, core.stop]
        }
        if let error { configuration.logger.warning("the session of the worker ended: \(error)") }
        for promise in promises { promise?.fulfil(.success(())) }
    }

    func drained() {
        core.withLock(\.drained)?.fulfil(.success(()))
    }

    /// A state of the present life was acknowledged.
    func progressed() {
        core.withLock { $0.restarts.progressed() }
    }

    // MARK: By hand

    /// Starts the worker again after the supervisor gave up, and returns when events are taken again; before that it does
    /// nothing.
    func reset() async {
        guard let reset = core.withLock(\.reset) else { return }
        reset.asked.fulfil(.success(()))
        // Cancelled: the reset goes on.
        try? await reset.done.value
    }

    /// Lets the worker finish what is running, within the limit, then says goodbye and waits for `run` to return. That
    /// is once the process is gone, which the cancellation of its task enforces if goodbye does not.
    func stop(within limit: Duration) async {
        let drained = Promise<Void>()
        let session = core.withLock { core in
            core.isStopping = true
            core.drained = drained
            return core.session
        }
        guard let session, opener.session != nil else {
            session?.end(.shuttingDown, reason: "the coordinator stops")
            core.withLock(\.stop)?.fulfil(.success(()))
            core.withLock(\.reset)?.asked.fulfil(.success(()))
            return
        }
        opener.report(.draining)
        session.sendControl(Drain(timeoutMilliseconds: UInt32(clamping: limit.milliseconds)))
        await drained.wait(atMost: limit + Self.cancelLimit, clock: clock)
        session.end(.normal, reason: "the coordinator stops")
        core.withLock(\.stop)?.fulfil(.success(()))
        await finished.wait(atMost: configuration.teardownLimit, clock: clock)
    }
}
