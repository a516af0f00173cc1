import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire
import Logging

/// What a supervisor hears from the session with its worker.
extension WorkerSupervisor {
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
        membership?.served()
        watchCalls(over: session)
        keepStandby()
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
}
