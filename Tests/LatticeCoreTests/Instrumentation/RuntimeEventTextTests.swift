import LatticeCore
import Testing

/// Tests the sentences, levels and metadata of the log.
struct RuntimeEventTextTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let event: RuntimeEvent
        let level: RuntimeEvent.Level?
        let text: String
        var context: [String: String] = [:]
        var metadata: [String: String] = [:]

        init(
            _ event: RuntimeEvent,
            _ level: RuntimeEvent.Level?,
            _ text: String,
            _ context: [String: String] = [:],
            metadata: [String: String] = [:]
        ) {
            (self.event, self.level, self.text, self.context, self.metadata) = (event, level, text, context, metadata)
        }

        var testDescription: String { "\(event.kind)" }
    }

    private static let member = RuntimeEvent.Member(group: "g", instance: "a\u{1b}b")
    private static let worker = RuntimeEvent.Worker(member: member, incarnation: 3, processID: 42)
    private static let plain = RuntimeEvent.Worker(member: RuntimeEvent.Member(), incarnation: 3, processID: 42)
    private static let ofMember = ["group": "g", "instance": "a\\u{1B}b"]
    private static let ofWorker = ["group": "g", "instance": "a\\u{1B}b", "worker": "42", "incarnation": "3"]
    private static let instance = RuntimeEvent.Instance(feature: "notes", key: "work", member: member)
    private static let failure = HostFailure(reason: "the worker ended too often")
    private static let client = RuntimeEvent.Client(sender: "a0", processID: 7, userID: 1000)
    private static let operation = RuntimeEvent.Operation(
        act: "restart",
        arguments: "target g\u{1B}",
        processID: 7,
        userID: 1000,
        program: "/usr/bin/latticectl"
    )
    private static let call = RuntimeEvent.Call(actor: 5, method: "add", caller: "client (process 7)")
    private static let problem = RuntimeEvent.SessionProblem(code: "timeout", message: "it was silent")
    private static let full = RuntimeEvent.SessionProblem(code: "overloaded", message: "it reads too slowly")
    private static let event = EventID(
        origin: EventOrigin(sender: EventSender(1), channel: 2, feature: "notes", instance: "work"),
        number: 3
    )
    private static let update = RuntimeEvent.StateUpdate(revision: 9, bytes: 100, isPatch: true)
    private static let eventText = "notes/work/00000000000000000000000000000001/2/3"

    private static func end(_ verdict: RuntimeEvent.Termination.Verdict, process: Int32? = 42) -> RuntimeEvent {
        let worker = RuntimeEvent.Worker(member: member, incarnation: 3, processID: process)
        return .workerTerminated(RuntimeEvent.Termination(worker: worker, cause: .signal(9), verdict: verdict))
    }

    static let workers: [Sample] = [
        Sample(.workerStarted(worker), nil, "The worker \"g\" (process 42) started."),
        Sample(.workerServing(worker, build: "b"), .info, "Worker 42 is serving as incarnation 3 (b).", ofMember),
        Sample(.workerUnresponsive(worker, reason: "stuck"), nil, "Worker 42 does not answer: stuck"),
        Sample(.workerResponsive(worker), nil, "Worker 42 answers again."),
        Sample(.workerProblem(worker, problem: "no"), .warning, "Worker 42 reports a problem: no", ofMember),
        Sample(.workerProblem(plain, problem: nil), .warning, "Worker 42 no longer has its problem."),
        Sample(
            .workerKilled(worker, .turn(.seconds(10))),
            .warning,
            "Worker 42 has been in a turn for 10.0 seconds and was killed.",
            ofMember
        ),
        Sample(
            .workerKilled(plain, .turn(nil)),
            .warning,
            "Worker 42 has been in a turn for too long and was killed."
        ),
        Sample(
            .workerKilled(plain, .call(timeout: .seconds(5))),
            .warning,
            "Worker 42 has not answered a call of an actor for 5.0 seconds and was killed."
        ),
        Sample(
            .workerKilled(plain, .crashReport(signal: 11, timeout: .seconds(5))),
            .warning,
            "Worker 42 crashed (killed by signal 11 (SIGSEGV)) and was killed because it did not complete its crash"
                + " report within 5.0 seconds. Raise backtraceTimeout, or choose shorter workerBacktraces."
        ),
        Sample(
            .workerKilled(plain, .memory(bytes: 300, limit: 200)),
            .warning,
            "Worker 42 was killed because it uses 300 bytes of memory and its limit is 200 bytes."
        ),
        Sample(
            .workerKilled(plain, .job(limit: "wall time", reason: "ran for 2.0 seconds, and its limit is 1.0 seconds")),
            .warning,
            "Worker 42 was killed because its job ran for 2.0 seconds, and its limit is 1.0 seconds."
        ),
        Sample(
            end(.restart(.init(attempt: 1, delay: .zero, cause: .signal(9)))),
            .notice,
            "The worker \"g\" (process 42), incarnation 3, ended: killed by signal 9 (SIGKILL)",
            ofMember
        ),
        Sample(
            end(.giveUp(failure), process: nil),
            .notice,
            "The worker \"g\", incarnation 3, ended: killed by signal 9 (SIGKILL)",
            ofMember
        ),
        Sample(end(.stop), nil, "The worker \"g\" (process 42), incarnation 3, ended: killed by signal 9 (SIGKILL)"),
        Sample(
            .workerStartFailed(member, incarnation: 3, reason: "no file"),
            .error,
            "The worker cannot be started: no file",
            ofMember
        ),
        Sample(
            .workerLacksResources(member, attempt: 2, delay: .seconds(1), reason: "Raise the limit."),
            .warning,
            "No resources for a worker (attempt 2). Next attempt in 1.0 seconds. Raise the limit.",
            ofMember
        ),
        Sample(.workerGivenUp(member, failure, isExpected: false), .error, "the worker ended too often", ofMember),
        Sample(.workerGivenUp(member, failure, isExpected: true), nil, "the worker ended too often"),
        Sample(.workerProbed(member), .notice, "The worker was given up and is tried again now.", ofMember),
        Sample(
            .standbyEnded(member, cause: .exit(code: 3), reason: "", delay: .seconds(30)),
            .warning,
            "The standby worker ended: exited with code 3. The next one starts in 30.0 seconds.",
            ofMember
        ),
        Sample(
            .standbyEnded(member, cause: nil, reason: "no file", delay: .seconds(30)),
            .warning,
            "The standby worker cannot be started: no file. The next one starts in 30.0 seconds.",
            ofMember
        ),
        Sample(.workerOutput(worker, .init(level: .info, text: "hello")), .info, "hello", ofWorker),
        Sample(
            .workerOutputDropped(worker, lines: 1, linesPerSecond: 4096),
            .warning,
            "1 line was dropped, because the worker writes more than 4096 lines per second.",
            ofWorker
        ),
        Sample(
            .workerOutputDropped(plain, lines: 2, linesPerSecond: 4096),
            .warning,
            "2 lines were dropped, because the worker writes more than 4096 lines per second.",
            ["worker": "42", "incarnation": "3"]
        ),
        Sample(
            .workerOutputFailed(worker, reason: "closed"),
            .warning,
            "The worker's output cannot be read: closed",
            ofWorker
        ),
        Sample(
            .workerCrashReported(worker, title: "Program crashed", report: "0 main"),
            .error,
            "Program crashed",
            ofWorker,
            metadata: ["report": "0 main"]
        ),
    ]

    static let groupsAndInstances: [Sample] = [
        Sample(
            .groupRestarted(group: "g", strategy: "one for all", cause: .hang),
            .notice,
            "The group \"g\" restarts (one for all). A child ended: stopped answering"
        ),
        Sample(.groupFailed(group: "g", reason: "too often", restartDelay: nil), .error, "too often"),
        Sample(
            .groupFailed(group: "g", reason: "too often", restartDelay: .seconds(1)),
            .error,
            "too often; it restarts in 1.0 seconds"
        ),
        Sample(.groupDone(group: "g", reason: "done"), .notice, "done"),
        Sample(.groupProbed(group: "g"), .notice, "The group \"g\" was given up and is tried again now."),
        Sample(.instanceOpened(instance), nil, "The instance \"work\" of \"notes\" was opened."),
        Sample(.instanceClosed(.init(feature: "notes", key: "")), nil, "The instance of \"notes\" was closed."),
        Sample(
            .instanceRecovered(instance, Interruption(cause: .hang, incarnation: 3)),
            .info,
            "The feature \"notes\" recovers from an interruption: stopped answering (incarnation 3)",
            ofMember
        ),
        Sample(
            .eventQuarantined(event, of: member, incarnations: [1, 2], cause: .signal(6)),
            .error,
            "Event \(eventText) was quarantined because it ended the incarnations [1, 2] of its worker: killed by"
                + " signal 6 (SIGABRT)",
            ofMember
        ),
        Sample(
            .quarantineOverflowed(event, of: member),
            .warning,
            "Event \(eventText) was dropped from the quarantine, which is full. It cannot be retried any more. Empty"
                + " the quarantine with drop or retry.",
            ofMember
        ),
        Sample(.viewStateWithheld(instance, reason: "It is too large."), .error, "It is too large.", ofMember),
        Sample(
            .stateObserverFailed(instance, reason: "full", delay: .seconds(1)),
            .error,
            "The observeStates closure of \"notes\", instance \"work\", threw an error and is called again after 1.0"
                + " seconds: full",
            ofMember
        ),
        Sample(
            .stateObserverFailed(.init(feature: "notes", key: ""), reason: "full", delay: .seconds(1)),
            .error,
            "The observeStates closure of \"notes\" threw an error and is called again after 1.0 seconds: full"
        ),
        Sample(.eventAccepted(event), nil, "Event \(eventText) was accepted."),
        Sample(.eventSent(event), nil, "Event \(eventText) was sent."),
        Sample(
            .eventOrdered(event, order: 4, cause: .recovery(incarnation: 2), sender: .feature),
            nil,
            "Event \(eventText) has the order 4. Its sender is the feature, and its cause is: recovery 2"
        ),
        Sample(
            .eventOrdered(event, order: 5, cause: .sent, sender: .client(client)),
            nil,
            "Event \(eventText) has the order 5. Its sender is client a0 (process 7), and its cause is: sent"
        ),
        Sample(.eventEnded(event, .finished, after: .seconds(1)), nil, "Event \(eventText) ended: finished"),
        Sample(.stateAccepted(instance, update), nil, "The instance \"work\" of \"notes\" has revision 9."),
        Sample(.statePublished(instance, update), nil, "The instance \"work\" of \"notes\" publishes revision 9."),
    ]

    static let connections: [Sample] = [
        Sample(.clientJoined(client), nil, "The client a0 (process 7) joined."),
        Sample(.clientLeft(client), nil, "The client a0 (process 7) left."),
        Sample(
            .connectionsRejected(.silent, count: 1, isFirst: true),
            .warning,
            "A connection without a hello was closed, because others needed the place."
        ),
        Sample(
            .connectionsRejected(.tooManyClients, count: 1, isFirst: false),
            .warning,
            "1 more client was refused, because the maximum number of clients is connected."
        ),
        Sample(
            .connectionsRejected(.otherUser, count: 2, isFirst: false),
            .warning,
            "2 more programs of other users were refused, because only this user may connect."
        ),
        Sample(
            .sessionOpened(.coordinator(processID: 8, path: "/s")),
            .debug,
            "The client is connected to the coordinator at \"/s\", process 8."
        ),
        Sample(
            .sessionOpened(.coordinator(processID: 8, path: nil)),
            nil,
            "A session with the coordinator (process 8) was opened."
        ),
        Sample(.sessionOpened(.worker(plain)), nil, "A session with the worker (process 42) was opened."),
        Sample(.sessionEnded(.client(client), problem: nil), nil, "A session with the client a0 (process 7) ended."),
        Sample(
            .sessionEnded(.worker(worker), problem: problem),
            .warning,
            "The session with the worker ended: it was silent",
            ofMember
        ),
        Sample(
            .sessionEnded(.client(client), problem: problem),
            nil,
            "The session of a client (process 7) ended. it was silent"
        ),
        Sample(
            .sessionEnded(.client(client), problem: full),
            .warning,
            "The session of a client (process 7) ended. it reads too slowly"
        ),
        Sample(
            .sessionEnded(.coordinator(processID: 8, path: nil), problem: full),
            .warning,
            "The session with the coordinator ended. it reads too slowly"
        ),
        Sample(
            .sessionEnded(.coordinator(processID: 8, path: "/s"), problem: full),
            nil,
            "The session with the coordinator ended. it reads too slowly"
        ),
        Sample(
            .socketChanged(path: "/s", .restored(socket: true, lock: false)),
            .warning,
            "The socket /s was deleted or replaced, and was created again. No client was disconnected."
        ),
        Sample(
            .socketChanged(path: "/s", .restored(socket: false, lock: true)),
            .warning,
            "The lock /s.lock was deleted or replaced, and was created again. No client was disconnected."
        ),
        Sample(
            .socketChanged(path: "/s", .restored(socket: true, lock: true)),
            .warning,
            "The socket /s and its lock were deleted or replaced, and were created again. No client was disconnected."
        ),
        Sample(.socketChanged(path: "/s", .lost(reason: "It is taken.")), .error, "It is taken."),
        Sample(.socketChanged(path: "/s", .regained), .warning, "New clients at /s reach this coordinator again."),
        Sample(.processProblem(reason: "Mount /proc."), .warning, "Mount /proc."),
        Sample(
            .connectionLost(path: "/s", reason: "it ended"),
            .notice,
            "The connection to the coordinator at \"/s\" was lost: it ended"
        ),
        Sample(
            .connectionAttemptFailed(path: "/s", attempt: 1, reason: "no file"),
            .debug,
            "An attempt to reconnect to the coordinator at \"/s\" failed: no file"
        ),
        Sample(
            .connectionRestored(path: "/s"),
            .notice,
            "The client is connected to the coordinator at \"/s\" again."
        ),
        Sample(.connectionGivenUp(path: "/s", reason: "It is gone."), .warning, "The client has given up. It is gone."),
        Sample(.callStarted(call), nil, "The call of add at actor 5 by the client (process 7) began."),
        Sample(
            .callEnded(call, outcome: "returned", after: .seconds(1)),
            nil,
            "The call of add at actor 5 by the client (process 7) ended: returned"
        ),
        Sample(
            .operationBegan(operation),
            .notice,
            "The tool (latticectl, process 7, user 1000) asks to restart (target g\\u{1B})."
        ),
        Sample(
            .operationEnded(operation, result: "It ended.", isDone: true),
            .notice,
            "Done for the tool (latticectl, process 7, user 1000), which asked to restart (target g\\u{1B}): It ended."
        ),
        Sample(
            .operationEnded(
                RuntimeEvent.Operation(act: "drop", arguments: "", processID: nil, userID: nil, program: nil),
                result: "No.",
                isDone: false
            ),
            .warning,
            "Not done for the tool (process unknown, user unknown), which asked to drop: No."
        ),
        Sample(
            .operationBegan(
                RuntimeEvent.Operation(act: "drop", arguments: "", processID: 7, userID: 0, program: "/a\u{1B}[2J\nb")
            ),
            .notice,
            "The tool (a\\u{1B}[2J\\nb, process 7, user 0) asks to drop."
        ),
        Sample(.settingsReloaded("The settings were read again."), .notice, "The settings were read again."),
        Sample(.settingsRefused(reason: "app.conf:1: x"), .error, "app.conf:1: x"),
        Sample(
            .effectsLinger(nil, effects: 1, after: .seconds(10)),
            .warning,
            "1 effect continues 10.0 seconds after the cancellation. Let the work of effects end when their task is"
                + " cancelled, or use whenCancelled(endingWorkerAfter:)."
        ),
        Sample(.callsHeld(reason: "the client has answers to read"), .warning, "the client has answers to read"),
    ]

    static let all = workers + groupsAndInstances + connections

    @Test("Each event has its sentence, and what is logged has its level and metadata", arguments: all)
    func line(_ sample: Sample) {
        #expect(sample.event.description == sample.text)
        #expect(sample.event.level == sample.level)
        let line = sample.event.logLine
        #expect((line != nil) == (sample.level != nil))
        guard let line else { return }
        #expect(line.level == sample.level && line.message == sample.text)
        #expect(line.context == sample.context && line.metadata == sample.metadata && line.entry == nil)
        #expect(line.isOutput == RuntimeEvent.Kinds.output.contains(sample.event.kind))
        #expect(RuntimeEvent.Kinds.logged.contains(sample.event.kind))
    }

    @Test("The samples have all kinds, and the log is interested in no kind that it never contains")
    func kinds() {
        let kinds = Set(Self.all.map(\.event.kind))
        #expect(kinds == Set(RuntimeEvent.Kind.allCases))
        let logged = Set(Self.all.filter { $0.level != nil }.map(\.event.kind))
        for kind in kinds { #expect(RuntimeEvent.Kinds.logged.contains(kind) == logged.contains(kind), "\(kind)") }
    }

    @Test("An entry of a worker's log keeps its level and its properties")
    func entry() {
        let entry = RuntimeEvent.OutputLine.Entry(label: "uploads", source: "Uploads", metadata: ["size": "3"])
        let line = RuntimeEvent.workerOutput(Self.worker, .init(level: .error, text: "no", entry: entry)).logLine
        #expect(line?.level == .error && line?.entry == entry && line?.metadata == [:])
    }

    @Test("Levels have the order of swift-log")
    func levels() {
        #expect(RuntimeEvent.Level.allCases == RuntimeEvent.Level.allCases.sorted())
        #expect(RuntimeEvent.Level.trace < .critical && !(RuntimeEvent.Level.error < .error))
    }
}
