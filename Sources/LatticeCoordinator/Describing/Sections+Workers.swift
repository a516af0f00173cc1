import LatticeConcurrency
import LatticeCore
import LatticeProcess
import LatticeSession
import LatticeWire

/// The sections about workers, their groups and their terminations.
extension CoordinatorSections {
    var workersSection: DescribedSection {
        DescribedSection("workers", "The workers, one row for each.") { [facts] in
            let workers = facts.placement.supervisors.map(\.figures)
            let terminations = facts.terminations.entries
            return DescribedList(
                subjects: workers,
                order: { $0.member.title < $1.member.title },
                keys: ["worker"],
                texts: { [$0.member.title, $0.state, $0.processID.map { "\($0)" } ?? ""] },
                ranks: [
                    "worker": .text { $0.member.title },
                    "state": .text { $0.state },
                    "restarts": .number { $0.restarts },
                    "residentBytes": .number { $0.process?.residentBytes },
                    "cpuMilliseconds": .number { $0.process?.cpuTime.map { Int($0.milliseconds) } },
                ],
                row: { worker in
                    worker.row(terminations.filter { $0.termination.worker.member == worker.member })
                }
            )
        }
    }

    var groupsSection: DescribedSection {
        DescribedSection("groups", "The groups in which workers are placed and supervised.") { [facts] in
            let workers = facts.placement.supervisors.map(\.member.group)
            return DescribedList(
                subjects: facts.groups,
                keys: ["group"],
                texts: { [$0.name] + $0.features.map { $0.identifier } },
                ranks: ["group": .text { $0.name }],
                row: { group in group.row(workers: workers.count { $0 == group.name }) }
            )
        }
    }

    /// - Parameter showsOutput: Whether the rows contain what the workers wrote.
    func terminationsSection(showsOutput: Bool) -> DescribedSection {
        DescribedSection("terminations", "The last terminations of workers, newest first.") { [facts] in
            DescribedList(
                subjects: facts.terminations.entries.reversed(),
                keys: ["worker", "incarnation"],
                texts: { [$0.termination.worker.member.title, "\($0.termination.cause)"] },
                ranks: ["worker": .text { $0.termination.worker.member.title }],
                row: { $0.row(showsOutput: showsOutput) }
            )
        }
    }
}

/// What a supervisor knows of its worker at one moment, for people.
struct WorkerFigures: Sendable {
    let member: RuntimeEvent.Member
    /// The phase in one word.
    let state: String
    /// A sentence about the phase, or nil.
    let reason: String?
    let incarnation: UInt64
    /// The process ID, or nil if there is no process.
    let processID: Int32?
    /// The time at which the phase of an incarnation began: when it started, or when it began to serve. Nil for a
    /// worker without an incarnation.
    let since: ContinuousClock.Instant?
    let hasStandby: Bool
    let limits: WorkerLimits

    /// The process ID of the worker of the next incarnation, or nil if there is no standby.
    let standbyProcessID: Int32?
    /// A Boolean value that indicates whether the worker does not answer, and should have been ended for it.
    let isOverdue: Bool

    var restarts: Int { max(0, Int(clamping: incarnation) - 1) }

    /// What the process uses, read from the system.
    var process: ProcessFigures? { processID.map { ProcessFigures(of: $0) } }

    fileprivate func row(_ terminations: [TerminationHistory.Entry]) -> [String: DescriptionValue] {
        let process = process
        return [
            "worker": .text(member.title),
            "group": .text(member.group),
            "instance": .init(member.instance),
            "state": .text(state),
            "reason": .init(reason),
            "incarnation": .init(incarnation),
            "restarts": .init(restarts),
            "processID": .init(processID),
            "sinceMilliseconds": .age(since),
            "cpuMilliseconds": .milliseconds(process?.cpuTime),
            "residentBytes": .init(process?.residentBytes),
            "openFiles": .init(process?.openFiles),
            "standby": .bool(hasStandby),
            "limits": limits.described,
            "terminations": .array(terminations.reversed().map { .map($0.row(showsOutput: false)) }),
        ]
    }
}

extension WorkerSupervisor {
    /// The present figures of the worker. You can read them on any thread.
    var figures: WorkerFigures {
        let (state, current, standby) = core.withLock { ($0.state, $0.current, $0.standby) }
        let (word, reason, since) = state.described(current)
        return WorkerFigures(
            member: member,
            state: word,
            reason: reason,
            incarnation: state.incarnation,
            processID: state.hasProcess ? current.worker?.processID : nil,
            since: since,
            hasStandby: standby != nil,
            limits: limits(of: state.hasProcess ? current.worker : nil),
            standbyProcessID: standby?.processID,
            isOverdue: state.isServing && isOverdue(current)
        )
    }

    private func isOverdue(_ current: IncarnationState) -> Bool {
        guard let since = current.silentSince else { return false }
        let now = ContinuousClock.now
        let turns = current.worker?.turns
        var detector = current.stallDetector
        return configuration.isOverdue(
            silence: since.duration(to: now),
            idle: turns.map { detector.look(at: $0.number, now: now) } ?? since.duration(to: now),
            in: turns?.turn,
            turns?.crash
        )
    }
}

extension SupervisorState {
    fileprivate var isServing: Bool { if case .serving = phase { true } else { false } }

    /// A Boolean value that indicates whether the phase is one in which a process can run.
    fileprivate var hasProcess: Bool {
        switch phase {
        case .booting, .serving, .draining, .leaving: true
        case .idle, .backingOff, .givenUp, .stopped: false
        }
    }

    fileprivate func described(
        _ current: WorkerSupervisor.IncarnationState
    ) -> (word: String, reason: String?, since: ContinuousClock.Instant?) {
        switch phase {
        case .idle: ("idle", nil, nil)
        case .booting: ("starting", isProbing ? "It was given up, and is tried again." : nil, current.start)
        case .serving where current.silentSince != nil: ("unresponsive", current.problem, current.silentSince)
        case .serving(_, let since, _): ("serving", current.problem, since)
        case .draining: ("draining", nil, current.start)
        case .leaving(_, let cause): ("leaving", cause.reasonToLeave, current.start)
        case .backingOff(let restart): ("restarting", HostStatus.restarting(restart).reason, nil)
        case .givenUp(let failure): ("failed", failure.reason, nil)
        case .stopped: ("stopped", nil, nil)
        }
    }
}

extension Interruption.Cause {
    /// A sentence that says why a worker leaves.
    fileprivate var reasonToLeave: String {
        switch self {
        case .group(let name): "The group \"\(name)\" ends it."
        case .requested(let requester): "It ends and is started again, because \(requester) asked for it."
        default: "It ends and is started again."
        }
    }
}

extension TerminationHistory.Entry {
    /// - Parameter showsOutput: Whether the row contains what the worker wrote.
    fileprivate func row(showsOutput: Bool) -> [String: DescriptionValue] {
        let worker = termination.worker
        let report = termination.report
        var row: [String: DescriptionValue] = [
            "worker": .text(worker.member.title),
            "incarnation": .init(worker.incarnation),
            "processID": .init(worker.processID),
            "cause": .text("\(termination.cause)"),
            "agoMilliseconds": .age(time),
            "lifetimeMilliseconds": .milliseconds(report?.lifetime),
            "then": .text(termination.verdict.word),
            "delayMilliseconds": .milliseconds(termination.verdict.delay),
        ]
        if showsOutput {
            row["event"] = .init(report?.turn.map { "\($0)" })
            row["effects"] = .array(report?.effects.map { .text($0) } ?? [])
            row["output"] = .array(report?.output.map { .text($0) } ?? [])
        }
        return row
    }
}

extension RuntimeEvent.Termination.Verdict {
    /// What followed the termination, for a row.
    fileprivate var word: String {
        switch self {
        case .restart: "restart"
        case .giveUp: "given up"
        case .stop: "stop"
        }
    }

    /// The time before the restart, or nil if there is none.
    fileprivate var delay: Duration? { if case .restart(let restart) = self { restart.delay } else { nil } }
}

extension PlacedGroup {
    fileprivate func row(workers: Int) -> [String: DescriptionValue] {
        let restart = configuration.restart
        return [
            "group": .text(name.isEmpty ? "default" : name),
            "features": .array(features.map { .text($0.identifier) }),
            "placement": .text(placement),
            "workers": .init(workers),
            "maximumWorkers": .init(maximumWorkers ?? 1),
            "restart": .text(restart.kind.description),
            "maximumRestarts": .init(restart.intensity.restarts),
            "restartPeriodMilliseconds": .milliseconds(restart.intensity.period),
            "limits": configuration.limits.described,
        ]
    }

    private var placement: String {
        if initialWorkers != nil { return "workers for actors" }
        return maximumWorkers == nil ? "one worker" : "a worker for each instance"
    }
}

extension WorkerLimits {
    /// The limits that are set, for people.
    fileprivate var described: DescriptionValue {
        let all: [String: DescriptionValue] = [
            "memoryBytes": .init(memoryBytes),
            "openFiles": .init(openFiles),
            "cpuMilliseconds": .milliseconds(cpuTime),
            "turnMilliseconds": .milliseconds(turnTimeout),
            "callMilliseconds": .milliseconds(callTimeout),
            "totalMemoryBytes": .init(totalMemoryBytes),
            "tasks": .init(tasks),
        ]
        return .map(all.filter { $0.value != .null })
    }
}
