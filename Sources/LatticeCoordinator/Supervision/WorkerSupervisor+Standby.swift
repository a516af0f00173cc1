import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport

/// The standby: the worker of the next incarnation, launched before it is needed.
extension WorkerSupervisor {
    /// Launches a worker.
    ///
    /// - Parameters:
    ///   - incarnation: The number of the worker's incarnation.
    ///   - stop: Completed when the worker is to leave.
    ///   - onEnd: Called when nothing of the worker is left.
    func launch(
        _ incarnation: UInt64,
        stop: OneShot<Void> = OneShot(),
        onEnd: @escaping @Sendable (LaunchedWorker.End) -> Void = { _ in }
    ) -> LaunchedWorker {
        let launch = LaunchVariable(incarnation: incarnation, token: (0..<32).map { _ in .random(in: 0...255) })
        let worker = LaunchedWorker(
            incarnation: incarnation,
            channels: channels,
            node: node,
            title: title,
            stop: stop
        )
        worker.launch(
            by: launcher,
            launch,
            makeSession: { [self] in makeSession(over: $0, launch, handler: $1) },
            onEnd: onEnd
        )
        return worker
    }

    /// Launches the worker of the next incarnation, if the configuration asks for a standby. This happens when the
    /// present worker has begun to serve, and some time after a standby has ended on its own.
    func keepStandby() {
        guard configuration.standby else { return }
        core.withLock { core in
            guard core.standby == nil, core.state.serving != nil else { return }
            let incarnation = core.state.incarnation + 1
            // The lock is held, because the worker may end at once.
            core.standby = launch(incarnation) { [weak self] in self?.standbyEnded(incarnation, $0) }
        }
    }

    /// Handles the end of a worker that was launched as a standby. If it is the present worker by now, it is no standby
    /// any more and nothing is done here.
    private func standbyEnded(_ incarnation: UInt64, _ end: LaunchedWorker.End) {
        guard core.withLock({ $0.takeStandby(for: incarnation) }) != nil else { return }
        let delay = configuration.restart.maximumDelay
        let (cause, reason): (Interruption.Cause?, String) =
            switch end {
            case .success(let cause): (cause, "\(cause)")
            case .failure(let error): (nil, "\(error)")
            }
        events.emit(.standbyEnded, .standbyEnded(member, cause: cause, reason: reason, delay: delay))
        let eventLoop = channels.eventLoop
        eventLoop.execute { [weak self] in
            eventLoop.after(milliseconds: delay.milliseconds) { [weak self] in self?.keepStandby() }
        }
    }

    /// Replaces the standby if the limits of workers have changed since it was launched. Until another one is there,
    /// the worker has none.
    func renewStandby() {
        guard let standby = core.withLock(\.standby) else { return }
        var limits = configuration.limits
        // This limit is not that of a process.
        limits.turnTimeout = standby.limits?.turnTimeout
        guard standby.limits != limits else { return }
        Task(executorPreference: ThreadPool.shared) { [weak self] in
            await self?.dismissStandby()
            self?.keepStandby()
        }
    }

    /// Ends the standby, because it will not be needed. Returns when it is gone.
    func dismissStandby() async {
        guard let worker = core.withLock({ $0.standby.take() }) else { return }
        worker.dismiss()
        _ = await worker.end
    }
}

extension WorkerSupervisor.Core {
    /// Returns the standby and removes it, if it is the worker of this incarnation.
    mutating func takeStandby(for incarnation: UInt64?) -> LaunchedWorker? {
        standby?.incarnation == incarnation ? standby.take() : nil
    }
}
