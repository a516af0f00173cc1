import LatticeConcurrency
import LatticeCore
import Logging

/// What a worker hears from when a life of it has ended until the next one has, each at most once. One that is in no
/// group that says when it starts and ends hears it from itself.
struct GroupPermit: Sendable {
    enum Answer: Sendable {
        /// The next life begins.
        case start
        /// There is none before a revival: a group around it was given up, or is done.
        case giveUp(HostFailure)
        /// There is none: the worker was stopped.
        case leave
    }

    /// For what reason a worker that was given up is started again.
    enum Revival: Sendable, Equatable {
        case byHand
        /// To see whether it serves again.
        case probe
    }

    let answer = OneShot<Answer>()
    /// The life is to end in order, for the sake of the group with this name.
    let end = OneShot<String>()
    let revival = OneShot<Revival>()
    /// What it was revived for takes events again.
    let revived = OneShot<Void>()
}

/// Has the workers of a group, and of the groups in it, start and end as ``GroupState`` says.
///
/// Workers tell it what becomes of them; this answers through their turns, outside the lock. A turn is of one life,
/// so an answer that is late reaches nobody else.
final class GroupSupervisor: Sendable {
    private struct Core {
        var state: GroupState
        var turns: [GroupState.ID: GroupPermit] = [:]
        var stops: [GroupState.ID: OneShot<Void>] = [:]
        var generator: SeededGenerator
    }

    private let core: Locked<Core>
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let hasStopped = OneShot<Void>()
    /// For the task that runs: one for each wait of a group, of which one at a time counts.
    private let (waits, waiter) = AsyncStream.makeStream(of: (GroupState.Wait, Duration).self)

    init(_ state: GroupState, logger: Logger, clock: any Clock<Duration> = ContinuousClock(), seed: UInt64) {
        self.logger = logger
        self.clock = clock
        var stops: [GroupState.ID: OneShot<Void>] = [:]
        for worker in state.workers.keys { stops[worker] = OneShot() }
        core = Locked(Core(state: state, stops: stops, generator: SeededGenerator(seed: seed)))
    }

    /// A worker that comes into being later.
    func addWorker(to group: GroupState.ID) -> GroupMembership {
        let worker = core.withLock { core in
            let worker = core.state.addWorker(to: group)
            core.stops[worker] = OneShot()
            return worker
        }
        return GroupMembership(group: self, worker: worker)
    }

    /// Waits for what groups wait for, until `stop` or until the calling task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await (wait, delay) in waits {
                group.addTask { [self] in
                    await hasStopped.wait(atMost: delay, clock: clock)
                    guard !hasStopped.isComplete, !Task.isCancelled else { return }
                    tell { $0.state.waited(wait, at: .now) }
                }
            }
        }
    }

    /// From now on nothing is started, and each worker hears when it is its turn to stop.
    func stop() {
        waiter.finish()
        hasStopped.complete()
        tell { $0.state.stop() }
    }

    // MARK: From the workers

    fileprivate func ready(_ worker: GroupState.ID, _ turn: GroupPermit) {
        tell { core in
            core.turns[worker] = turn
            return core.state.ready(worker, at: .now)
        }
    }

    fileprivate func served(_ worker: GroupState.ID) {
        tell { $0.state.served(worker) }
    }

    fileprivate func ended(_ worker: GroupState.ID, _ end: GroupState.End, _ next: GroupPermit) {
        tell { core in
            core.turns[worker] = next
            let chance = Double.random(in: 0...1, using: &core.generator)
            return core.state.ended(worker, end, at: .now, chance: chance)
        }
    }

    fileprivate func left(_ worker: GroupState.ID) {
        tell { core in
            core.turns[worker] = nil
            core.stops[worker] = nil
            return core.state.left(worker)
        }
    }

    fileprivate func reset(_ worker: GroupState.ID) {
        tell { $0.state.reset(worker, at: .now) }
    }

    fileprivate func turnToStop(_ worker: GroupState.ID) -> OneShot<Void>? {
        core.withLock { $0.stops[worker] }
    }

    private func tell(_ input: (inout sending Core) -> [GroupState.Order]) {
        let (orders, turns, stops) = core.withLock { core in
            let orders = input(&core)
            return (orders, core.turns, core.stops)
        }
        for order in orders {
            switch order {
            case .start(let worker): turns[worker]?.answer.complete(.start)
            case .end(let worker, let group): turns[worker]?.end.complete(group)
            case .giveUp(let worker, let failure): turns[worker]?.answer.complete(.giveUp(failure))
            case .revive(let worker, let revival): turns[worker]?.revival.complete(revival)
            case .stop(let worker): stops[worker]?.complete()
            case .wait(let wait, let delay): waiter.yield((wait, delay))
            case .note(let sentence, isError: true): logger.error("\(sentence)")
            case .note(let sentence, isError: false): logger.notice("\(sentence)")
            }
        }
    }
}

/// The place of a worker in a group that says when it starts and ends.
struct GroupMembership: Sendable {
    let group: GroupSupervisor
    let worker: GroupState.ID

    /// The worker asks for its next life.
    func ready(_ turn: GroupPermit) { group.ready(worker, turn) }
    func served() { group.served(worker) }

    /// - Parameter next: The turn of the next life.
    func ended(_ end: GroupState.End, _ next: GroupPermit) { group.ended(worker, end, next) }

    /// Nobody runs it any more.
    func left() { group.left(worker) }

    /// Starts whatever group anew that keeps the worker from being started.
    func reset() { group.reset(worker) }

    /// Returns when those that stop before it have left, and at the latest after `limit`.
    func turnToStop(atMost limit: Duration, clock: any Clock<Duration>) async {
        await group.turnToStop(worker)?.wait(atMost: limit, clock: clock)
    }
}
