import LatticeConcurrency
import LatticeCore

/// An order to a worker to leave, after which its next incarnation starts.
enum LeaveOrder: Sendable, Equatable {
    /// The group with this name restarts, or is given up.
    case group(String)
    /// A tool asks for a restart. The text names the process that asked. What runs is interrupted.
    case restart(by: String)
    /// A tool asks for it. The text names the process that asked. What runs gets this time to end.
    case drain(by: String, within: Duration)

    /// The cause of the end that the order brings about.
    var cause: Interruption.Cause {
        switch self {
        case .group(let name): .group(name)
        case .restart(let requester), .drain(let requester, _): .requested(by: requester)
        }
    }

    /// The reason for the end of the session, as a phrase.
    var reason: String {
        switch self {
        case .group(let name): "the group \"\(name)\" restarts, or is given up"
        case .restart(let requester), .drain(let requester, _): "\(requester) asked for it"
        }
    }
}

/// The signals between a group and one of its workers from the end of one incarnation to the end of the next one. Each
/// signal is sent at most once.
///
/// A worker without a coordinating group uses a permit too. Its own supervisor completes the signals.
struct GroupPermit: Sendable {
    enum Answer: Sendable {
        /// The next incarnation may start.
        case start
        /// No incarnation starts before a revival, because a group that contains the worker was given up or is done.
        case giveUp(HostFailure)
        /// No further incarnation starts, because the worker was stopped.
        case leave
    }

    /// The reason why a worker that was given up is started again.
    enum Revival: Sendable, Equatable {
        case manual
        /// A test whether the worker can serve again.
        case probe
    }

    let answer = OneShot<Answer>()
    /// Requests an orderly end of the incarnation. The first order is the cause of the end. A later one can shorten the
    /// time that what runs gets.
    let end = OneShot<LeaveOrder>()
    /// Completed when the group needs an end that a tool has already ordered. Other workers wait for it, so what runs
    /// gets no longer than for the group.
    let isNeededByGroup = OneShot<Void>()
    let revival = OneShot<Revival>()
    /// Completed when the worker accepts events again after the revival.
    let revived = OneShot<Void>()

    /// Requests the end of the incarnation for a group.
    fileprivate func order(endFor group: String) {
        if !end.complete(.group(group)) { isNeededByGroup.complete() }
    }
}

/// Starts and ends the workers of a group, and of its nested groups, as ``GroupState`` decides.
///
/// Workers report what happens to them. The supervisor answers through their permits, outside its lock. A permit
/// belongs to one incarnation, so a late answer cannot reach the next incarnation.
final class GroupSupervisor: Sendable {
    private struct Core {
        var state: GroupState
        var permits: [GroupState.ID: GroupPermit] = [:]
        var stops: [GroupState.ID: OneShot<Void>] = [:]
        var generator: SeededGenerator
    }

    private let core: Locked<Core>
    private let events: RuntimeEvents
    private let clock: any Clock<Duration>
    private let hasStopped = OneShot<Void>()
    /// The delays of groups, for the task that runs. Only the newest delay of a group has an effect.
    private let (waits, waitContinuation) = AsyncStream.makeStream(of: (GroupState.Wait, Duration).self)

    init(_ state: GroupState, events: RuntimeEvents, clock: any Clock<Duration> = ContinuousClock(), seed: UInt64) {
        self.events = events
        self.clock = clock
        var stops: [GroupState.ID: OneShot<Void>] = [:]
        for worker in state.workers.keys { stops[worker] = OneShot() }
        core = Locked(Core(state: state, stops: stops, generator: SeededGenerator(seed: seed)))
    }

    /// Adds a worker that is created after the supervisor.
    func addWorker(to group: GroupState.ID) -> GroupMembership {
        let worker = core.withLock { core in
            let worker = core.state.addWorker(to: group)
            core.stops[worker] = OneShot()
            return worker
        }
        return GroupMembership(group: self, worker: worker)
    }

    /// Handles the delays of groups until `stop`, or until the calling task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await (wait, delay) in waits {
                group.addTask { [self] in
                    await hasStopped.wait(atMost: delay, clock: clock)
                    guard !hasStopped.isComplete, !Task.isCancelled else { return }
                    perform { $0.state.waited(wait, at: .now) }
                }
            }
        }
    }

    /// Prevents further starts, and signals each worker to stop when the order of its group allows it.
    func stop() {
        waitContinuation.finish()
        hasStopped.complete()
        perform { $0.state.stop() }
    }

    // MARK: From the workers

    fileprivate func ready(_ worker: GroupState.ID, _ permit: GroupPermit) {
        perform { core in
            core.permits[worker] = permit
            return core.state.ready(worker, at: .now)
        }
    }

    fileprivate func served(_ worker: GroupState.ID) {
        perform { $0.state.served(worker) }
    }

    fileprivate func ended(_ worker: GroupState.ID, _ end: GroupState.End, _ next: GroupPermit) {
        perform { core in
            core.permits[worker] = next
            let chance = Double.random(in: 0...1, using: &core.generator)
            return core.state.ended(worker, end, at: .now, chance: chance)
        }
    }

    fileprivate func left(_ worker: GroupState.ID) {
        perform { core in
            core.permits[worker] = nil
            core.stops[worker] = nil
            return core.state.left(worker)
        }
    }

    fileprivate func reset(_ worker: GroupState.ID) {
        perform { $0.state.reset(worker, at: .now) }
    }

    fileprivate func stopSignal(of worker: GroupState.ID) -> OneShot<Void>? {
        core.withLock { $0.stops[worker] }
    }

    private func perform(_ input: (inout sending Core) -> [GroupState.Order]) {
        let (orders, permits, stops) = core.withLock { core in
            let orders = input(&core)
            return (orders, core.permits, core.stops)
        }
        for order in orders {
            switch order {
            case .start(let worker): permits[worker]?.answer.complete(.start)
            case .end(let worker, let group): permits[worker]?.order(endFor: group)
            case .giveUp(let worker, let failure): permits[worker]?.answer.complete(.giveUp(failure))
            case .revive(let worker, let revival): permits[worker]?.revival.complete(revival)
            case .stop(let worker): stops[worker]?.complete()
            case .wait(let wait, let delay): waitContinuation.yield((wait, delay))
            case .emit(let event): events.emit(event.kind, event)
            }
        }
    }
}

/// The membership of a worker in a group that coordinates starts and ends.
struct GroupMembership: Sendable {
    let group: GroupSupervisor
    let worker: GroupState.ID

    /// Asks for permission to start the next incarnation.
    func ready(_ permit: GroupPermit) { group.ready(worker, permit) }
    func served() { group.served(worker) }

    /// Reports the end of an incarnation.
    ///
    /// - Parameters:
    ///   - end: How the incarnation ended.
    ///   - next: The permit of the next incarnation.
    func ended(_ end: GroupState.End, _ next: GroupPermit) { group.ended(worker, end, next) }

    /// Reports that the worker's supervisor has finished.
    func left() { group.left(worker) }

    /// Restarts the groups that keep the worker from being started.
    func reset() { group.reset(worker) }

    /// Waits until the workers that stop before this one have left, but no longer than `timeout`.
    func waitForStop(atMost timeout: Duration, clock: any Clock<Duration>) async {
        await group.stopSignal(of: worker)?.wait(atMost: timeout, clock: clock)
    }
}
