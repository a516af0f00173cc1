import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// The requests to a supervisor: a reset, an orderly end for the group, and a stop.
extension WorkerSupervisor {
    // MARK: Reset

    /// Starts the worker again after it was given up, and returns when it accepts events again. If the worker was not
    /// given up, does nothing and returns the reason.
    @discardableResult
    func reset() async -> WorkerReset {
        var isBegun = false
        while true {
            let (permit, wasProbing, phase) = core.withLock { core -> (GroupPermit?, Bool, SupervisorState.Phase) in
                let phase = core.state.phase
                if case .givenUp = phase { return (core.permit, false, phase) }
                return (nil, core.state.reset(), phase)
            }
            membership?.reset()
            guard let permit else {
                if wasProbing { revive() }
                return isBegun || wasProbing ? .begun(self) : .notNeeded(self, phase)
            }
            isBegun = true
            permit.revival.complete(.manual)
            // If the caller is cancelled, the reset continues.
            guard (try? await permit.revived.value) != nil else { return .begun(self) }
            // A probe may have started at the same moment.
            guard core.withLock(\.state.isProbing) else { return .begun(self) }
        }
    }

    // MARK: Leave

    /// Lets the worker finish what is running, within the time of the order, then ends its session. Events that arrive
    /// meanwhile wait for the next incarnation.
    func leave(_ order: LeaveOrder) async {
        let (step, current) = core.withLock { ($0.state.leave(for: order.cause), $0.current) }
        guard let step else { return }
        if step == .drain {
            channels.pause { current.drained.complete() }
            // After the pause, so that what is sent in response to this report waits.
            channels.report(.restarting(.init(after: order.cause)))
            switch order {
            case .group: await current.drained.wait(atMost: configuration.drainTimeout, clock: clock)
            case .drain(_, let limit): await drain(current, within: limit)
            case .restart: break
            }
        }
        current.session?.end(.normal, reason: order.reason)
        current.stop.complete()
    }

    /// Shortens the drain of an incarnation to the time that its group allows, once the group needs its end too.
    func hasten(_ current: IncarnationState, for permit: GroupPermit) async {
        guard await permit.isNeededByGroup.wait() != nil else { return }
        await current.answered.wait(atMost: configuration.drainTimeout, clock: clock)
        current.endDrain()
    }

    /// Waits until the events and calls of an incarnation have ended, whose channels are paused.
    private func drain(_ current: IncarnationState, within limit: Duration) async {
        let end = MonotonicDeadline(in: limit)
        if let session = current.session { node.retire(session) }
        await current.drained.wait(atMost: limit, clock: clock)
        // Effects that still run are interrupted, and not cancelled, as the features expect when a worker ends.
        guard current.drained.isComplete, let left = end.left, left > .zero, let session = current.session else {
            return
        }
        session.sendControl(Drain(timeoutMilliseconds: UInt32(clamping: left.milliseconds)))
        await current.answered.wait(atMost: left, clock: clock)
        await node.untilAnswered(session, atMost: Self.cancelTimeout)
    }

    // MARK: Stop

    /// Stops the worker when its turn in the stop order of its group has come.
    func stopInOrder(within limit: Duration) async {
        if let membership { await membership.waitForStop(atMost: configuration.placementStopTimeout, clock: clock) }
        await stop(within: limit)
        // The group continues its stop when nothing of this worker is left.
        if membership != nil {
            await finished.wait(atMost: configuration.teardownTimeout + Self.reapTimeout, clock: clock)
        }
    }

    /// Lets the worker finish what is running, within `limit`, then ends its session and waits for `run` to return.
    /// `run` returns once the process is gone. If the process does not leave on its own, the cancellation of the task
    /// of `run` ends it.
    func stop(within limit: Duration) async {
        let (order, current, permit, standby) = core.withLock { ($0.state.stop(), $0.current, $0.permit, $0.standby) }
        standby?.dismiss()
        switch order {
        case .drain:
            if let session = current.session {
                node.retire(session)
                session.sendControl(Drain(timeoutMilliseconds: UInt32(clamping: limit.milliseconds)))
            }
            // This report follows the drain request, so whatever is sent in response to it arrives after that request.
            channels.report(.draining)
            await current.drained.wait(atMost: limit + Self.cancelTimeout, clock: clock)
            // The drain request may overtake calls. Their refusals arrive after the answer to it.
            if let session = current.session { await node.untilAnswered(session, atMost: Self.cancelTimeout) }
            current.session?.end(.normal, reason: "the coordinator stops")
            current.stop.complete()
            await finished.wait(atMost: configuration.teardownTimeout, clock: clock)
        case .leave:
            current.session?.end(.shuttingDown, reason: "the coordinator stops")
            current.stop.complete()
            // Includes the time for SIGTERM and SIGKILL.
            await finished.wait(atMost: configuration.teardownTimeout * 2 + Self.reapTimeout, clock: clock)
        case .hasten:
            channels.report(.draining)
            await current.drained.wait(atMost: limit, clock: clock)
            current.endDrain()
            await finished.wait(atMost: Self.cancelTimeout * 2 + configuration.teardownTimeout, clock: clock)
        case .join:
            await finished.wait(atMost: limit + Self.cancelTimeout * 2 + configuration.teardownTimeout, clock: clock)
        case .wake:
            // Tells the tasks that wait for a worker that none will start.
            permit.answer.complete(.leave)
            permit.revival.complete(.manual)
            await finished.wait(atMost: configuration.teardownTimeout, clock: clock)
        }
    }
}
