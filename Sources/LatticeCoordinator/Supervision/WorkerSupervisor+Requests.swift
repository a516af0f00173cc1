import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// What others ask of a supervisor: a reset, the end of a life for the sake of its group, a stop.
extension WorkerSupervisor {
    // MARK: By hand

    /// Starts the worker again after the supervisor gave up, and returns when events are taken again; before that it
    /// does nothing, and says why.
    @discardableResult
    func reset() async -> WorkerReset {
        var isBegun = false
        while true {
            let (turn, wasProbing, phase) = core.withLock { core -> (GroupPermit?, Bool, SupervisorState.Phase) in
                let phase = core.state.phase
                if case .givenUp = phase { return (core.turn, false, phase) }
                return (nil, core.state.reset(), phase)
            }
            membership?.reset()
            guard let turn else {
                if wasProbing { revive() }
                return isBegun || wasProbing ? .begun(self) : .notNeeded(self, phase)
            }
            isBegun = true
            turn.revival.complete(.byHand)
            // Cancelled: the reset goes on.
            guard (try? await turn.revived.value) != nil else { return .begun(self) }
            // It may have been tried again in the same moment.
            guard core.withLock(\.state.isProbing) else { return .begun(self) }
        }
    }

    // MARK: For the group

    /// Lets the worker finish what is running, within its limit, then says goodbye. What comes meanwhile waits for its
    /// next life.
    func leave(for group: String) async {
        let (order, life) = core.withLock { ($0.state.leave(for: group), $0.life) }
        guard let order else { return }
        if order == .drain {
            channels.report(.restarting(.init(in: group)))
            channels.pause { life.drained.complete() }
            await life.drained.wait(atMost: configuration.drainTimeout, clock: clock)
        }
        life.session?.end(.normal, reason: "the group \"\(group)\" restarts, or is given up")
        life.stop.complete()
    }

    // MARK: The end

    /// The same when it is the worker's turn in its group.
    func stopInTurn(within limit: Duration) async {
        if let membership { await membership.turnToStop(atMost: configuration.placementStopTimeout, clock: clock) }
        await stop(within: limit)
        // Its group goes on when nothing is left of it.
        if membership != nil {
            await finished.wait(atMost: configuration.teardownTimeout + Self.reapTimeout, clock: clock)
        }
    }

    /// Lets the worker finish what is running, within the limit, then says goodbye and waits for `run` to return. That
    /// is once the process is gone, which the cancellation of its task enforces if goodbye does not.
    func stop(within limit: Duration) async {
        let (order, life, turn, standby) = core.withLock { ($0.state.stop(), $0.life, $0.turn, $0.standby) }
        standby?.dismiss()
        switch order {
        case .drain:
            if let session = life.session {
                node.retire(session)
                session.sendControl(Drain(timeoutMilliseconds: UInt32(clamping: limit.milliseconds)))
            }
            // Behind it: what is sent by whoever hears of this comes too late.
            channels.report(.draining)
            await life.drained.wait(atMost: limit + Self.cancelTimeout, clock: clock)
            // Calls that the question has overtaken are refused behind its answer.
            if let session = life.session { await node.untilAnswered(session, atMost: Self.cancelTimeout) }
            life.session?.end(.normal, reason: "the coordinator stops")
            life.stop.complete()
            await finished.wait(atMost: configuration.teardownTimeout, clock: clock)
        case .leave:
            life.session?.end(.shuttingDown, reason: "the coordinator stops")
            life.stop.complete()
            // Behind SIGTERM and SIGKILL, if it comes to that.
            await finished.wait(atMost: configuration.teardownTimeout * 2 + Self.reapTimeout, clock: clock)
        case .hasten:
            channels.report(.draining)
            await life.drained.wait(atMost: limit, clock: clock)
            life.drained.complete()
            await finished.wait(atMost: Self.cancelTimeout * 2 + configuration.teardownTimeout, clock: clock)
        case .join:
            await finished.wait(atMost: limit + Self.cancelTimeout * 2 + configuration.teardownTimeout, clock: clock)
        case .wake:
            // What waits for a worker hears that there will be none.
            turn.answer.complete(.leave)
            turn.revival.complete(.byHand)
            await finished.wait(atMost: configuration.teardownTimeout, clock: clock)
        }
    }
}
