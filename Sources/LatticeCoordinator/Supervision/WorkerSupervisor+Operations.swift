import LatticeConcurrency
import LatticeCore
import LatticeWire

/// The orders of tools to end the worker, after which it is started again.
extension WorkerSupervisor {
    /// The result of an order to end the worker.
    enum RequestedEnd: Sendable, Equatable {
        /// The incarnation has ended, and the next one is being started.
        case ended(incarnation: UInt64, processID: Int32?)
        /// The incarnation has not ended in time, or the caller does not wait for its end any more. The order stays in
        /// force.
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

    /// The maximum time that an order waits for the end of the worker after the time to drain. The end of the session,
    /// SIGTERM, SIGKILL and a crash report have a time each. With usual settings their sum is shorter, and no answer to
    /// a tool takes longer.
    static let maximumEnd: Duration = .seconds(15)

    /// Ends the present incarnation of the worker as an order says, and returns when it has ended. A restart also
    /// starts a worker that was given up.
    ///
    /// The call returns at the latest ``maximumEnd`` after the time to drain. If the calling task is cancelled, the
    /// call returns at once, and the order stays in force.
    func end(_ order: LeaveOrder) async -> RequestedEnd {
        let (limit, isRestart): (Duration, Bool)
        switch order {
        case .group: return .starting
        case .restart: (limit, isRestart) = (.zero, true)
        case .drain(_, let time): (limit, isRestart) = (time, false)
        }
        let (phase, current, permit) = core.withLock { ($0.state.phase, $0.current, $0.permit) }
        switch phase {
        case .booting(let worker), .serving(let worker, _, _):
            // Another order can be the first one although the phase does not show it yet.
            return await end(of: worker, current, within: limit, isFirst: permit.end.complete(order))
        case .leaving(let worker, _):
            return await end(of: worker, current, within: limit, isFirst: false)
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

    /// Waits for the end of an incarnation.
    ///
    /// - Parameter isFirst: Whether the incarnation drains for this order. If it drains for an earlier one, that drain
    ///   ends after the limit.
    private func end(
        of worker: SupervisorState.Worker,
        _ current: IncarnationState,
        within limit: Duration,
        isFirst: Bool
    ) async -> RequestedEnd {
        if limit > .zero { await current.ended.wait(atMost: limit, clock: clock) }
        if !isFirst, limit == .zero || !Task.isCancelled { current.endDrain() }
        await current.ended.wait(atMost: Self.maximumEnd, clock: clock)
        let process = worker.processID == 0 ? nil : worker.processID
        guard current.ended.isComplete else { return .ending(incarnation: worker.incarnation, processID: process) }
        return .ended(incarnation: worker.incarnation, processID: process)
    }
}

extension WorkerSupervisor.RequestedEnd {
    /// Whether the order has had its effect on the worker, or its effect was there already.
    var isDone: Bool {
        switch self {
        case .ended, .revived, .hastened, .starting: true
        case .ending, .givenUp, .stopping: false
        }
    }

    /// A predicate for a sentence about the worker.
    var sentence: String {
        switch self {
        case .ended(let incarnation, let process):
            "has ended (\(Self.name(incarnation, process))), and its next incarnation is being started"
        case .ending(let incarnation, let process):
            "has not ended yet (\(Self.name(incarnation, process))), and is restarted when it has"
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
