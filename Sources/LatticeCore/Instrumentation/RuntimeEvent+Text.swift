// The sentences of the log, in one place.

extension RuntimeEvent: CustomStringConvertible {
    /// A sentence that says what happened. It is the message of the log, for events that are logged.
    public var description: String {
        textOfWorker ?? textOfOutput ?? textOfGroup ?? textOfInstance ?? textOfConnection ?? textOfEvent
    }

    private var textOfWorker: String? {
        switch self {
        case .workerStarted(let worker): "The \(worker.title) started."
        case .workerServing(let worker, let build):
            "Worker \(worker.process) is serving as incarnation \(worker.incarnation) (\(build))."
        case .workerUnresponsive(let worker, let reason): "Worker \(worker.process) does not answer: \(reason)"
        case .workerResponsive(let worker): "Worker \(worker.process) answers again."
        case .workerProblem(let worker, let problem?): "Worker \(worker.process) reports a problem: \(problem)"
        case .workerProblem(let worker, nil): "Worker \(worker.process) no longer has its problem."
        case .workerKilled(let worker, let reason): "Worker \(worker.process) \(reason)"
        case .workerTerminated(let end):
            "The \(end.worker.title), incarnation \(end.worker.incarnation), ended: \(end.cause)"
        case .workerStartFailed(_, _, let reason): "The worker cannot be started: \(reason)"
        case .workerLacksResources(_, let attempt, let delay, let reason):
            "No resources for a worker (attempt \(attempt)). Next attempt in \(delay). \(reason)"
        case .workerGivenUp(_, let failure, _): failure.reason
        case .workerProbed: "The worker was given up and is tried again now."
        case .standbyEnded(_, let cause?, _, let delay):
            "The standby worker ended: \(cause). The next one starts in \(delay)."
        case .standbyEnded(_, nil, let reason, let delay):
            "The standby worker cannot be started: \(reason). The next one starts in \(delay)."
        default: nil
        }
    }

    private var textOfOutput: String? {
        switch self {
        case .workerOutput(_, let line): line.text
        case .workerOutputDropped(_, let lines, let linesPerSecond):
            """
            \(lines) \(lines == 1 ? "line was" : "lines were") dropped, because the worker writes more than \
            \(linesPerSecond) lines per second.
            """
        case .workerOutputFailed(_, let reason): "The worker's output cannot be read: \(reason)"
        case .workerCrashReported(_, let title, _): title
        default: nil
        }
    }

    private var textOfGroup: String? {
        switch self {
        case .groupRestarted(let group, let strategy, let cause):
            "The group \"\(group)\" restarts (\(strategy)). A child ended: \(cause)"
        case .groupFailed(_, let reason, let delay?): "\(reason); it restarts in \(delay)"
        case .groupFailed(_, let reason, nil): reason
        case .groupDone(_, let reason): reason
        case .groupProbed(let group): "The group \"\(group)\" was given up and is tried again now."
        default: nil
        }
    }

    private var textOfInstance: String? {
        switch self {
        case .instanceOpened(let instance): "\(instance) was opened."
        case .instanceClosed(let instance): "\(instance) was closed."
        case .instanceRecovered(let instance, let interruption):
            "The feature \"\(instance.feature)\" recovers from an interruption: \(interruption)"
        case .eventQuarantined(let event, _, let incarnations, let cause):
            "Event \(event) was quarantined because it ended the incarnations \(incarnations) of its worker: \(cause)"
        case .quarantineOverflowed(let event, _):
            """
            Event \(event) was dropped from the quarantine, which is full. It cannot be retried any more. Empty the \
            quarantine with drop or retry.
            """
        case .viewStateWithheld(_, let reason): reason
        case .stateObserverFailed(let instance, let reason, let delay):
            "The observeStates closure of \(instance.title) threw an error and is called again after \(delay): \(reason)"
        default: nil
        }
    }

    private var textOfConnection: String? {
        switch self {
        case .clientJoined(let client): "The \(client.title) joined."
        case .clientLeft(let client): "The \(client.title) left."
        case .connectionsRejected(let rejection, let count, let isFirst): rejection.sentence(count, isFirst: isFirst)
        case .sessionOpened(.coordinator(let process, let path?)):
            "The client is connected to the coordinator at \"\(path)\", process \(process)."
        case .sessionOpened(let peer): "A session with \(peer.title) was opened."
        case .sessionEnded(.worker, let problem?): "The session with the worker ended: \(problem.message)"
        case .sessionEnded(.client(let client), let problem?):
            "The session of a client\(client.process) ended. \(problem.message)"
        case .sessionEnded(.coordinator, let problem?): "The session with the coordinator ended. \(problem.message)"
        case .sessionEnded(let peer, nil): "A session with \(peer.title) ended."
        case .socketChanged(let path, let change): change.sentence(path)
        case .operationBegan(let operation): "The \(operation.title) asks to \(operation.order)."
        case .operationEnded(let operation, let result, let isDone):
            "\(isDone ? "Done" : "Not done") for the \(operation.title), which asked to \(operation.order): \(result)"
        case .processProblem(let reason): reason
        case .connectionLost(let path, let reason):
            "The connection to the coordinator at \"\(path)\" was lost: \(reason)"
        case .connectionAttemptFailed(let path, _, let reason):
            "An attempt to reconnect to the coordinator at \"\(path)\" failed: \(reason)"
        case .connectionRestored(let path): "The client is connected to the coordinator at \"\(path)\" again."
        case .connectionGivenUp(_, let reason): "The client has given up. \(reason)"
        case .settingsReloaded(let text): text
        case .settingsRefused(let reason): reason
        case .effectsLinger(let event, let effects, let grace):
            LingeringEffects(event: event, effects: effects, grace: grace).sentence
        case .callsHeld(let reason): reason
        case .callStarted(let call): "\(call.title) began."
        case .callEnded(let call, let outcome, _): "\(call.title) ended: \(outcome)"
        default: nil
        }
    }

    private var textOfEvent: String {
        switch self {
        case .eventAccepted(let event): "Event \(event) was accepted."
        case .eventSent(let event): "Event \(event) was sent."
        case .eventOrdered(let event, let order, let cause, let sender):
            "Event \(event) has the order \(order). Its sender is \(sender), and its cause is: \(cause)"
        case .eventEnded(let event, let outcome, _): "Event \(event) ended: \(outcome)"
        case .stateAccepted(let instance, let update): "\(instance) has revision \(update.revision)."
        case .statePublished(let instance, let update): "\(instance) publishes revision \(update.revision)."
        default: ""
        }
    }
}

// MARK: - Parts of sentences

extension RuntimeEvent.Worker {
    fileprivate var process: String { processID.map { "\($0)" } ?? "without a process" }

    /// The name of the worker, and its process.
    fileprivate var title: String {
        (member.group.isEmpty ? "worker" : "worker \"\(member.group)\"") + (processID.map { " (process \($0))" } ?? "")
    }
}

extension RuntimeEvent.KillReason: CustomStringConvertible {
    /// A predicate for a sentence about the worker, such as "has been in a turn for 10.0 seconds and was killed."
    public var description: String {
        switch self {
        case .turn(let elapsed): "has been in a turn for \(elapsed.map { "\($0)" } ?? "too long") and was killed."
        case .call(let limit): "has not answered a call of an actor for \(limit) and was killed."
        case .crashReport(let signal, let limit):
            """
            crashed (\(Interruption.Cause.signal(signal))) and was killed because it did not complete its crash report \
            within \(limit). Raise backtraceTimeout, or choose shorter workerBacktraces.
            """
        case .memory(let bytes, let limit):
            "was killed because it uses \(bytes) bytes of memory and its limit is \(limit) bytes."
        case .job(_, let reason): "was killed because its job \(reason)."
        }
    }
}

extension RuntimeEvent.Instance: CustomStringConvertible {
    /// The feature and the key, such as: The instance "work" of "notes".
    public var description: String {
        key.isEmpty ? "The instance of \"\(feature)\"" : "The instance \"\(key)\" of \"\(feature)\""
    }

    fileprivate var title: String { key.isEmpty ? "\"\(feature)\"" : "\"\(feature)\", instance \"\(key)\"," }
}

extension RuntimeEvent.Client {
    fileprivate var process: String { processID.map { " (process \($0))" } ?? "" }

    var title: String { "client \(sender)\(process)" }
}

extension RuntimeEvent.Peer {
    fileprivate var title: String {
        switch self {
        case .worker(let worker): "the \(worker.title)"
        case .client(let client): "the \(client.title)"
        case .coordinator(let process, _): "the coordinator (process \(process))"
        }
    }
}

extension RuntimeEvent.Operation {
    fileprivate var title: String {
        let name = program?.split(separator: "/").last.map { "\(escaped($0)), " } ?? ""
        let process = processID.map { "\($0)" } ?? "unknown"
        return "tool (\(name)process \(process), user \(userID.map { "\($0)" } ?? "unknown"))"
    }

    /// The act as an order.
    fileprivate var order: String { escaped(arguments.isEmpty ? act : "\(act) (\(arguments))") }

    /// What a tool sent, and the name of its program, can contain control characters, and a terminal may show the log.
    private func escaped(_ text: some StringProtocol) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}

extension RuntimeEvent.Call {
    fileprivate var title: String { "The call of \(method) at actor \(actor) by the \(caller)" }
}

extension RuntimeEvent.Rejection {
    fileprivate func sentence(_ count: Int, isFirst: Bool) -> String {
        let (one, several, end, reason) =
            switch self {
            case .tooManyClients: ("client", "clients", "refused", "the maximum number of clients is connected")
            case .silent:
                ("connection without a hello", "connections without a hello", "closed", "others needed the place")
            case .otherUser:
                ("program of another user", "programs of other users", "refused", "only this user may connect")
            }
        let many = isFirst ? "A" : "\(count) more"
        return "\(many) \(isFirst || count == 1 ? "\(one) was" : "\(several) were") \(end), because \(reason)."
    }
}

extension RuntimeEvent.SocketChange {
    fileprivate func sentence(_ path: String) -> String {
        switch self {
        case .restored(socket: true, lock: false):
            "The socket \(path) was deleted or replaced, and was created again. No client was disconnected."
        case .restored(socket: false, lock: true):
            "The lock \(path).lock was deleted or replaced, and was created again. No client was disconnected."
        case .restored:
            "The socket \(path) and its lock were deleted or replaced, and were created again. No client was"
                + " disconnected."
        case .lost(let reason): reason
        case .regained: "New clients at \(path) reach this coordinator again."
        }
    }
}
