import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// Carries out the acts of tools on a coordinator. Each act ends in bounded time.
struct Operator: Sendable {
    /// The maximum number of rows in an answer. With the longest names they fit into it.
    static let maximumRows = 256
    /// The maximum time that a drained worker gets, in milliseconds: an hour.
    static let maximumDrain = 3_600_000

    let sections: CoordinatorSections

    init(_ sections: CoordinatorSections) {
        self.sections = sections
    }

    /// Carries out an act.
    ///
    /// - Parameters:
    ///   - act: The name of the act.
    ///   - bytes: The encoded arguments.
    ///   - requester: The process that asked, for causes and logs.
    func perform(_ act: String, _ bytes: [UInt8], for requester: String) async -> OperationAnswer {
        do {
            var arguments = try OperationArguments(bytes, of: act)
            switch act {
            case "restart":
                let target = try arguments.text("target")
                try arguments.finish()
                return await end(target) { _ in .restart(by: requester) }
            case "drain":
                let target = try arguments.text("target")
                let limit = try arguments.optionalInteger("timeoutMilliseconds", in: 0...Self.maximumDrain)
                try arguments.finish()
                return await end(target) { supervisor in
                    let maximum = Duration.milliseconds(Self.maximumDrain)
                    let limit = limit.map { .milliseconds($0) } ?? supervisor.configuration.drainTimeout
                    return .drain(by: requester, within: min(limit, maximum))
                }
            case "cancel":
                let event = try arguments.text("event")
                let reason = try arguments.optionalText("reason")
                try arguments.finish()
                return await cancel(event, WireCancellation(by: .tool(requester), reason: reason))
            case "retry", "drop":
                let id = try arguments.integer("id", in: 0...Int.max)
                try arguments.finish()
                return act == "retry" ? retry(UInt64(id)) : drop(UInt64(id))
            default:
                return OperationAnswer(
                    .unknownAct,
                    "There is no act \(act.debugDescription). The acts are: restart, drain, cancel, retry, drop."
                )
            }
        } catch {
            return OperationAnswer(.invalid, error.reason)
        }
    }

    // MARK: Workers

    /// Ends the workers that a target names. Those of a group end at the same time.
    private func end(_ target: String, _ order: @Sendable (WorkerSupervisor) -> LeaveOrder) async -> OperationAnswer {
        let found = supervisors(target)
        guard !found.isEmpty else { return notFound(target) }
        let ends = await withTaskGroup(of: (Int, WorkerSupervisor.RequestedEnd).self) { group in
            for (index, supervisor) in found.enumerated() {
                let order = order(supervisor)
                group.addTask { (index, await supervisor.end(order)) }
            }
            return await group.reduce(into: [Int: WorkerSupervisor.RequestedEnd]()) { $0[$1.0] = $1.1 }
        }
        let results = found.enumerated().compactMap { index, supervisor in
            ends[index].map { (title: supervisor.member.title, end: $0) }
        }
        let done = results.filter(\.end.isDone)
        let sentences = results.count == 1 ? results : Array(results.filter { !$0.end.isDone }.prefix(3))
        var reason = sentences.map { "The worker \"\($0.title)\" \($0.end.sentence)." }.joined(separator: " ")
        if results.count > 1 {
            let sum = "\(done.count) of \(results.count) workers are restarted."
            reason = reason.isEmpty ? sum : "\(sum) \(reason)"
        }
        guard !done.isEmpty else { return OperationAnswer(.notPossible, reason) }
        let rows = results.prefix(Self.maximumRows).map { $0.end.row(of: $0.title) }
        return OperationAnswer(.done, reason, rows: rows)
    }

    /// Returns the supervisors of the worker with a title or a process ID, or of all workers of the group with a name.
    private func supervisors(_ target: String) -> [WorkerSupervisor] {
        let all = sections.facts.placement.supervisors
        let named = all.filter { $0.member.title == target }
        if !named.isEmpty { return named }
        if let process = Int32(target) {
            let running = all.filter { $0.figures.processID == process }
            if !running.isEmpty { return running }
        }
        return all.filter { ($0.member.group.isEmpty ? "default" : $0.member.group) == target }
            .sorted { $0.member.title < $1.member.title }
    }

    private func notFound(_ target: String) -> OperationAnswer {
        let groups = sections.facts.groups.map { $0.name.isEmpty ? "default" : $0.name }
        let known = Set(groups + sections.facts.placement.supervisors.map(\.member.title)).sorted()
        let names = known.prefix(20).joined(separator: ", ") + (known.count > 20 ? ", …" : "")
        let advice = known.isEmpty ? "The coordinator has no workers." : "There are: \(names)."
        return OperationAnswer(
            .notFound,
            "There is no worker and no group with workers \(target.debugDescription). \(advice)"
        )
    }

    // MARK: Quarantine

    private func retry(_ id: UInt64) -> OperationAnswer {
        guard let event = quarantined(id) else { return notQuarantined(id) }
        guard let task = sections.facts.quarantine.retry(event) else {
            guard quarantined(id) == nil else { return notQuarantined(id) }
            return OperationAnswer(
                .notPossible,
                "The instance of event \(id) was closed, so the event cannot be sent again. It was dropped."
            )
        }
        if case .rejected(let rejection) = task.outcome {
            return OperationAnswer(.notPossible, "The event \(id) stays in quarantine: \(rejection.reason)")
        }
        return OperationAnswer(
            .done,
            "The event \(id) was sent again. If it ends its worker again, it comes back into quarantine.",
            rows: [row(of: event)]
        )
    }

    private func drop(_ id: UInt64) -> OperationAnswer {
        guard let event = quarantined(id), sections.facts.quarantine.drop(event) else { return notQuarantined(id) }
        return OperationAnswer(.done, "The event \(id) was dropped and is not sent again.", rows: [row(of: event)])
    }

    private func quarantined(_ id: UInt64) -> QuarantinedEvent? {
        sections.facts.quarantine.events.first { $0.id == id }
    }

    private func notQuarantined(_ id: UInt64) -> OperationAnswer {
        OperationAnswer(
            .notFound,
            "No event \(id) is in quarantine. The field \"id\" of the section \"quarantine\" has the numbers."
        )
    }

    private func row(of event: QuarantinedEvent) -> [String: DescriptionValue] {
        ["id": .init(event.id), "event": .text("\(event.event)")]
    }
}
