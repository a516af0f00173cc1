package import LatticeCore

extension RuntimeEvent {
    /// The values of ``eventEnded(_:_:after:)``, or nil for another event.
    package var end: (event: EventID, outcome: EventOutcome, duration: Duration)? {
        if case .eventEnded(let event, let outcome, let duration) = self { (event, outcome, duration) } else { nil }
    }
}

/// The runtime events that an observer has received, in order, one line each.
package final class EventList: Sendable {
    /// All events.
    package let events = Watched<[RuntimeEvent]>([])

    package init() {}

    /// Returns an observer that adds events of some kinds.
    package func observer(of kinds: RuntimeEvent.Kinds) -> RuntimeObserver {
        RuntimeObserver(of: kinds) { [events] event in events.change { $0.append(event) } }
    }

    /// The kinds of the events.
    package var kinds: [RuntimeEvent.Kind] { events.value.map(\.kind) }

    /// The events in short, with what is the same in each run.
    package var lines: [String] { events.value.map(Self.line) }

    /// Waits until there are this many events of a kind.
    package func until(_ kind: RuntimeEvent.Kind, count: Int = 1) async throws {
        try await events.until { $0.count { $0.kind == kind } >= count }
    }

    private static func line(_ event: RuntimeEvent) -> String {
        switch event {
        case .workerStarted(let worker), .workerServing(let worker, _), .workerUnresponsive(let worker, _):
            "\(event.kind) \(worker.incarnation)"
        case .workerKilled(let worker, let reason): "\(event.kind) \(worker.incarnation), \(reason)"
        case .workerTerminated(let end):
            "\(event.kind) \(end.worker.incarnation), \(end.cause), \(line(end.verdict))"
        case .workerGivenUp(_, _, let isExpected): "\(event.kind)\(isExpected ? " as expected" : "")"
        case .sessionOpened(.worker(let worker)), .sessionEnded(.worker(let worker), _):
            "\(event.kind) worker \(worker.incarnation)"
        case .sessionEnded(_, let problem): "\(event.kind)\(problem.map { ", \($0.code)" } ?? "")"
        case .eventEnded(let event, let outcome, _): "eventEnded \(event.number), \(outcome)"
        case .eventSent(let event): "eventSent \(event.number)"
        case .eventOrdered(let event, let order, _, _): "eventOrdered \(event.number) \(order)"
        case .eventAccepted(let event): "eventAccepted \(event.number)"
        case .stateAccepted(_, let update), .statePublished(_, let update): "\(event.kind) \(update.revision)"
        default: "\(event.kind)"
        }
    }

    private static func line(_ verdict: RuntimeEvent.Termination.Verdict) -> String {
        switch verdict {
        case .restart(let restart): "restart \(restart.attempt)"
        case .giveUp: "giveUp"
        case .stop: "stop"
        }
    }
}
