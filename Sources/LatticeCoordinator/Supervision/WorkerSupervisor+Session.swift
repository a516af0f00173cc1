import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire
import Logging

/// The events of the session with the worker.
extension WorkerSupervisor {
    func opened(_ session: Session, to peer: Handshake.Peer) {
        build.welcome(peer.build)
        let serving = core.withLock { $0.state.served(at: .now) }
        // The handshake completed during a stop, so the worker gets nothing to do.
        guard let serving else { return session.end(.shuttingDown, reason: "the coordinator stops") }
        // If the worker was given up and ran as a probe, it accepts events again.
        revive()
        let spoken = ExpectedBuild.spoken(peer.build)
        configuration.logger.info(
            "Worker \(serving.processID) is serving as incarnation \(serving.incarnation) (\(spoken))."
        )
        channels.report(.serving(serving))
        membership?.served()
        watchCalls(over: session)
        keepStandby()
    }

    func closed(_ session: Session, error: SessionError?) {
        let current = core.withLock { core -> IncarnationState? in
            // The session may belong to an earlier incarnation. Then the present one is not affected.
            guard core.current.session === session else { return nil }
            switch error?.code {
            case .timeout: core.state.sessionEnded(.silent)
            case .refused: core.state.sessionEnded(.refused(error?.detail ?? ""))
            default: core.state.sessionEnded(.ended)
            }
            return core.current
        }
        if let error { configuration.logger.warning("The session with the worker ended: \(error)") }
        guard let current else { return }
        for oneShot in [current.drained, current.sessionEnded, current.stop] { oneShot.complete() }
    }

    func drained() {
        let drained = core.withLock { core -> OneShot<Void>? in
            guard case .draining = core.state.phase else { return nil }
            return core.current.drained
        }
        drained?.complete()
    }

    /// Records that a state of the present incarnation was acknowledged.
    func progressed() {
        core.withLock { $0.state.progressed() }
    }
}
