/// An entry of the log for a runtime event.
package struct RuntimeLogLine: Sendable, Equatable {
    /// The level of the entry.
    package let level: RuntimeEvent.Level
    /// The message of the entry.
    package let message: String
    /// The metadata that says which worker the entry is about. Metadata of the entry itself cannot replace it.
    package let context: [String: String]
    /// The metadata of the entry itself.
    package let metadata: [String: String]
    /// The properties of a log entry that a worker wrote, or nil.
    package let entry: RuntimeEvent.OutputLine.Entry?
    /// A Boolean value that indicates whether a worker wrote the entry.
    package let isOutput: Bool
}

extension RuntimeEvent {
    /// The level that the event has in the log, or nil if it is not logged.
    public var level: Level? {
        switch self {
        case .workerServing, .instanceRecovered: .info
        case .workerTerminated(let end): end.verdict == .stop ? nil : .notice
        case .workerGivenUp(_, _, let isExpected): isExpected ? nil : .error
        case .workerOutput(_, let line): line.level
        case .workerProblem, .workerKilled, .workerLacksResources, .standbyEnded, .workerOutputDropped,
            .workerOutputFailed, .quarantineOverflowed, .connectionsRejected, .processProblem, .connectionGivenUp,
            .effectsLinger, .callsHeld:
            .warning
        case .workerStartFailed, .workerCrashReported, .groupFailed, .eventQuarantined, .viewStateWithheld,
            .stateObserverFailed, .settingsRefused:
            .error
        case .workerProbed, .groupRestarted, .groupDone, .groupProbed, .connectionLost, .connectionRestored,
            .operationBegan, .settingsReloaded:
            .notice
        case .operationEnded(_, _, let isDone): isDone ? .notice : .warning
        case .connectionAttemptFailed: .debug
        case .sessionOpened(let peer): peer.isCoordinatorOfClient ? .debug : nil
        case .sessionEnded(let peer, let problem): problem.flatMap { peer.level(of: $0) }
        case .socketChanged(_, .lost): .error
        case .socketChanged: .warning
        case .workerStarted, .workerUnresponsive, .workerResponsive, .instanceOpened, .instanceClosed, .clientJoined,
            .clientLeft, .callStarted, .callEnded, .eventAccepted, .eventSent, .eventOrdered, .eventEnded,
            .stateAccepted, .statePublished:
            nil
        }
    }

    /// The entry of the log, or nil if the event is not logged.
    package var logLine: RuntimeLogLine? {
        guard let level else { return nil }
        var metadata: [String: String] = [:]
        if case .workerCrashReported(_, _, let report) = self { metadata["report"] = report }
        var entry: OutputLine.Entry?
        if case .workerOutput(_, let line) = self { entry = line.entry }
        return RuntimeLogLine(
            level: level,
            message: description,
            context: context,
            metadata: metadata,
            entry: entry,
            isOutput: Kinds.output.contains(kind)
        )
    }

    /// The metadata that says which worker the event is about.
    private var context: [String: String] {
        switch self {
        case .workerOutput(let worker, _), .workerOutputDropped(let worker, _, _), .workerOutputFailed(let worker, _),
            .workerCrashReported(let worker, _, _):
            var context = worker.member.context
            if let process = worker.processID { context["worker"] = "\(process)" }
            context["incarnation"] = "\(worker.incarnation)"
            return context
        default: return member?.context ?? [:]
        }
    }

    /// The worker that the event is about, or nil if it is about none.
    var member: Member? {
        switch self {
        case .workerStarted(let worker), .workerServing(let worker, _), .workerUnresponsive(let worker, _),
            .workerResponsive(let worker), .workerProblem(let worker, _), .workerKilled(let worker, _),
            .sessionOpened(.worker(let worker)), .sessionEnded(.worker(let worker), _):
            worker.member
        case .workerTerminated(let end): end.worker.member
        case .workerStartFailed(let member, _, _), .workerLacksResources(let member, _, _, _),
            .workerGivenUp(let member, _, _), .workerProbed(let member), .standbyEnded(let member, _, _, _),
            .eventQuarantined(_, let member, _, _), .quarantineOverflowed(_, let member):
            member
        case .instanceOpened(let instance), .instanceClosed(let instance), .instanceRecovered(let instance, _),
            .viewStateWithheld(let instance, _), .stateObserverFailed(let instance, _, _):
            instance.member
        default: nil
        }
    }
}

extension RuntimeEvent.Member {
    /// The metadata of log entries about the worker. Keys of instances come from clients, and a terminal may show the
    /// log, so control characters are escaped.
    fileprivate var context: [String: String] {
        var context: [String: String] = [:]
        if !group.isEmpty { context["group"] = group }
        if let instance { context["instance"] = instance.escaped }
        if let name { context["member"] = name.escaped }
        return context
    }
}

extension String {
    fileprivate var escaped: String { unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
}

extension RuntimeEvent.Peer {
    fileprivate var isCoordinatorOfClient: Bool { if case .coordinator(_, _?) = self { true } else { false } }

    /// The level of a problem of the session. Problems of clients are their own, unless a limit was reached.
    fileprivate func level(of problem: RuntimeEvent.SessionProblem) -> RuntimeEvent.Level? {
        switch self {
        case .worker: .warning
        case .client, .coordinator(_, nil): problem.code == "overloaded" ? .warning : nil
        case .coordinator: nil
        }
    }
}
