import LatticeConcurrency
import LatticeCore
import LatticeWire

/// The orders of tools to end the worker, after which it is started again.
extension WorkerSupervisor {
    /// The result of an order to end the worker.
    enum RequestedEnd: Sendable, Equatable {
        /// The incarnation has ended, and the next one is being started.
        case ended(incarnation: UInt64, processID: Int32?)
        /// The incarnation is ending, and takes longer than its time limits.
        case ending(incarnation: UInt64, processID: Int32?)
        /// The worker had been given up and is started again.
        case revived
        /// The next incarnation was waiting for its start and is started at once.
        case hastened
        /// The next incarnation starts by itself.
        case starting
        /// The worker had been given up, and cannot be drained.
        case givenUp
        /// The coordinator, or a smaller number of workers, ends the worker for good.
        case stopping
    }

    /// Ends the present incarnation of the worker as an order says, and returns when it has ended. A worker that was
    /// given up is started again by an order without time to drain.
    func end(_ order: LeaveOrder) async -> RequestedEnd {
        guard case .request(_, let limit) = order else { return .starting }
        let isRestart = limit == .zero
        let (phase, current, permit) = core.withLock { ($0.state.phase, $0.current, $0.permit) }
        switch phase {
        case .booting(let worker), .serving(let worker, _, _):
            permit.end.complete(order)
            return await end(of: worker, current, within: limit)
        case .leaving(let worker, _):
            // The order that was first continues. A restart ends its drain.
            if isRestart { for oneShot in [current.drained, current.answered] { oneShot.complete() } }
            return await end(of: worker, current, within: limit)
        case .givenUp:
            guard isRestart else { return .givenUp }
            return await reset().isBegun ? .revived : .starting
        case .backingOff:
            // A group decides itself when its workers start.
            guard isRestart, membership == nil else { return .starting }
            permit.answer.complete(.start)
            return .hastened
        case .idle: return .starting
        case .draining, .stopped: return .stopping
        }
    }

    private func end(
        of worker: SupervisorState.Worker,
        _ current: IncarnationState,
        within limit: Duration
    ) async -> RequestedEnd {
        // The end of the session, SIGTERM and SIGKILL have a time each, and a process can crash meanwhile.
        let teardown = Self.cancelTimeout * 2 + configuration.teardownTimeout * 4 + configuration.backtraceTimeout
        let longest = limit + teardown
        await current.ended.wait(atMost: longest, clock: clock)
        let process = worker.processID == 0 ? nil : worker.processID
        guard current.ended.isComplete else { return .ending(incarnation: worker.incarnation, processID: process) }
        return .ended(incarnation: worker.incarnation, processID: process)
    }
}

extension WorkerSupervisor.RequestedEnd {
    /// Whether the order has an effect on the worker, or its effect was there already.
    var isDone: Bool {
        switch self {
        case .ended, .ending, .revived, .hastened, .starting: true
        case .givenUp, .stopping: false
        }
    }

    /// A predicate for a sentence about the worker.
    var sentence: String {
        switch self {
        case .ended(let incarnation, let process):
            "has ended (\(Self.name(incarnation, process))), and its next incarnation is being started"
        case .ending(let incarnation, let process): "does not end in time (\(Self.name(incarnation, process)))"
        case .revived: "had been given up, and is started again"
        case .hastened: "was waiting for its restart, and is started at once"
        case .starting: "is being started anyway"
        case .givenUp: "was given up, so nothing runs that could be drained; restart it to start it again"
        case .stopping: "is being stopped, and is not started again"
        }
    }

    private static func name(_ incarnation: UInt64, _ process: Int32?) -> String {
        "incarnation \(incarnation)" + (process.map { ", process \($0)" } ?? "")
    }

    /// Returns the row for a worker.
    func row(of worker: String) -> [String: DescriptionValue] {
        var row: [String: DescriptionValue] = ["worker": .text(worker), "result": .text(word)]
        if case .ended(let incarnation, let process) = self {
            row["incarnation"] = .init(incarnation)
            row["processID"] = .init(process)
        }
        return row
    }

    private var word: String {
        switch self {
        case .ended: "ended"
        case .ending: "ending"
        case .revived: "revived"
        case .hastened: "started"
        case .starting: "starting"
        case .givenUp: "given up"
        case .stopping: "stopping"
        }
    }
}
