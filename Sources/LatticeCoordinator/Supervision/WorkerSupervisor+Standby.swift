import LatticeConcurrency
import LatticeHosting
import LatticeSession
import LatticeTransport
import Logging

/// The worker of the next life, which is there before it is needed.
extension WorkerSupervisor {
    /// Launches a worker.
    ///
    /// - Parameters:
    ///   - stop: Complete when it is to leave.
    ///   - onEnd: Called when nothing of it is left.
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

    /// Launches the worker of the next life, if one is to be kept: when this one has begun to serve, and again a while
    /// after a standby has ended by itself.
    func keepStandby() {
        guard configuration.standby else { return }
        core.withLock { core in
            guard core.standby == nil, core.state.serving != nil else { return }
            let incarnation = core.state.incarnation + 1
            // Under the lock: it may end at once.
            core.standby = launch(incarnation) { [weak self] in self?.standbyEnded(incarnation, $0) }
        }
    }

    /// It was not needed so far, or it is the present life: then it is no standby any more.
    private func standbyEnded(_ incarnation: UInt64, _ end: LaunchedWorker.End) {
        guard core.withLock({ $0.takeStandby(for: incarnation) }) != nil else { return }
        let delay = configuration.restart.maximumDelay
        let reason =
            switch end {
            case .success(let cause): "has ended: \(cause)"
            case .failure(let error): "cannot be started: \(error)"
            }
        configuration.logger.warning("the worker that stands by \(reason); another one follows in \(delay)")
        let eventLoop = channels.eventLoop
        eventLoop.execute { [weak self] in
            eventLoop.after(milliseconds: delay.milliseconds) { [weak self] in self?.keepStandby() }
        }
    }

    /// Nobody will need it. Returns when it is gone.
    func dismissStandby() async {
        guard let worker = core.withLock({ $0.standby.take() }) else { return }
        worker.dismiss()
        _ = await worker.end
    }
}

extension WorkerSupervisor.Core {
    /// The standby, if it is the worker of this life.
    mutating func takeStandby(for incarnation: UInt64?) -> LaunchedWorker? {
        standby?.incarnation == incarnation ? standby.take() : nil
    }
}
