import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire

/// The session with the worker, and its events.
extension WorkerSupervisor {
    /// Creates the session of an incarnation, which accepts the worker's handshake.
    func makeSession(
        over connection: any Connection,
        _ launch: LaunchVariable,
        handler: any SessionHandler
    ) -> Session {
        let own = UInt32(ProcessIdentity.own)
        let welcome = Welcome(
            role: .coordinator,
            coordinatorID: coordinatorID,
            processID: own,
            features: [],
            storeID: sender.bytes,
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
                Liveness(interval: configuration.heartbeatInterval, timeout: configuration.heartbeatTimeout)
            ),
            handshakeTimeout: configuration.restart.bootTimeout,
            maximumPayload: configuration.maximumStateBytes,
            handler: handler
        )
    }

    func opened(_ session: Session, to peer: Handshake.Peer) {
        build.welcome(peer.build)
        let (serving, isLate) = core.withLock { core -> (HostStatus.Serving?, isLate: Bool) in
            if let worker = core.workers[ObjectIdentifier(session)], worker.incarnation != core.state.incarnation {
                return (nil, true)
            }
            return (core.state.served(at: .now), false)
        }
        guard let serving else {
            let reason = isLate ? "the next incarnation of the worker has begun" : "the coordinator stops"
            return session.end(.shuttingDown, reason: reason)
        }
        // If the worker was given up and ran as a probe, it accepts events again.
        revive()
        let spoken = ExpectedBuild.spoken(peer.build)
        events.emit(.sessionOpened, .sessionOpened(.worker(worker(serving))))
        events.emit(.workerServing, .workerServing(worker(serving), build: spoken))
        channels.report(.serving(serving))
        membership?.served()
        beginServing(session, peer, serving.processID)
        watchCalls(over: session)
        keepStandby()
    }

    func closed(_ session: Session, error: SessionError?) {
        let (current, worker) = core.withLock { core -> (IncarnationState?, RuntimeEvent.Worker) in
            let worker =
                core.workers.removeValue(forKey: ObjectIdentifier(session))
                ?? self.worker(core.state.incarnation, nil)
            // The session may belong to an earlier incarnation. Then the present one is not affected.
            guard core.current.session === session else { return (nil, worker) }
            switch error?.code {
            case .timeout: core.state.sessionEnded(.silent)
            case .refused: core.state.sessionEnded(.refused(error?.detail ?? ""))
            default: core.state.sessionEnded(.ended)
            }
            return (core.current, worker)
        }
        events.emit(
            .sessionEnded,
            .sessionEnded(.worker(worker), problem: error.map { RuntimeEvent.SessionProblem($0) })
        )
        guard let current else { return }
        for oneShot in [current.drained, current.answered, current.sessionEnded, current.stop] { oneShot.complete() }
    }

    /// Makes the worker available to the owners of its tasks. No name of its actors has been published before.
    private func beginServing(_ session: Session, _ peer: Handshake.Peer, _ processID: Int32) {
        guard let node = peer.node.flatMap({ NodeID($0) }) else { return }
        let eventLoop = channels.eventLoop
        let worker = ServingWorker(group: configuration.group, node: node, processID: processID) {
            [weak self, weak session] cause, reason in
            eventLoop.execute { [weak self, weak session] in
                if let self, let session { self.end(session, for: cause, reason) }
            }
        }
        core.withLock { core in
            guard core.current.session === session else { return }
            core.current.serving = worker
            // Under the lock, so that the end of the worker removes it later.
            servingWorkers[node] = worker
        }
    }

    /// Tells the owners of the worker's tasks how it ended, before its calls end.
    func endServing(_ incarnation: IncarnationState, _ interruption: Interruption?, _ wasAskedToLeave: Bool) {
        guard let worker = incarnation.serving else { return }
        servingWorkers[worker.node] = nil
        guard let interruption else { return }
        let end = ServingWorker.End(
            interruption: interruption,
            wasAskedToLeave: wasAskedToLeave,
            hadLostSession: incarnation.worker?.turns?.hasSessionEnd ?? false
        )
        worker.ended.complete(end)
    }

    func drained() {
        let drained = core.withLock { core -> OneShot<Void>? in
            switch core.state.phase {
            case .draining: core.current.drained
            case .leaving: core.current.answered
            default: nil
            }
        }
        drained?.complete()
    }

    /// Records that a state of the present incarnation was acknowledged.
    func progressed() {
        core.withLock { $0.state.progressed() }
    }
}
