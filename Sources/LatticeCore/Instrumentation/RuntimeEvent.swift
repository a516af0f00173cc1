/// An event of the runtime: what a coordinator, a worker or a client process has just done or noticed.
///
/// A ``RuntimeObserver`` receives the events of the kinds that it is interested in. Everything that the runtime logs is
/// such an event, so an observer can also replace the log. ``description`` is the sentence that the log contains.
///
/// Each case names the process that emits it. Later versions add cases, so a `switch` needs a `default`.
public enum RuntimeEvent: Sendable, Equatable {
    // MARK: Workers

    /// The process of a worker exists. Its handshake is not complete yet. A standby is reported when it takes over.
    ///
    /// Emitted by the coordinator.
    case workerStarted(Worker)
    /// A worker has completed its handshake and serves from now on. The build is a text for people.
    ///
    /// Emitted by the coordinator.
    case workerServing(Worker, build: String)
    /// A worker has not answered a heartbeat. The event is repeated about once a second, with the current reason, until
    /// the worker answers or is ended.
    ///
    /// Emitted by the coordinator.
    case workerUnresponsive(Worker, reason: String)
    /// A worker answers heartbeats again.
    ///
    /// Emitted by the coordinator.
    case workerResponsive(Worker)
    /// A worker reports a problem that keeps it from its work. The problem is nil when it is over.
    ///
    /// Emitted by the coordinator.
    case workerProblem(Worker, problem: String?)
    /// The coordinator has killed a worker because it exceeded a limit. ``workerTerminated(_:)`` follows.
    ///
    /// Emitted by the coordinator.
    case workerKilled(Worker, KillReason)
    /// A worker has ended, and nothing of it runs any more.
    ///
    /// Emitted by the coordinator.
    case workerTerminated(Termination)
    /// A worker could not be started, for another reason than a lack of resources. ``workerTerminated(_:)`` follows.
    ///
    /// Emitted by the coordinator.
    case workerStartFailed(Member, incarnation: UInt64, reason: String)
    /// The system had no resources for a worker. The start is repeated, and does not count as a restart.
    ///
    /// If the process already existed, ``workerStarted(_:)`` came before. ``workerTerminated(_:)`` does not follow, and
    /// the next attempt has the same incarnation.
    ///
    /// Emitted by the coordinator.
    case workerLacksResources(Member, attempt: Int, delay: Duration, reason: String)
    /// No further incarnation of a worker is started before a reset or a probe. `isExpected` is true if the restart
    /// policy allows that end, or if a group was given up that contains the worker.
    ///
    /// Emitted by the coordinator.
    case workerGivenUp(Member, HostFailure, isExpected: Bool)
    /// A worker that was given up is tried again.
    ///
    /// Emitted by the coordinator.
    case workerProbed(Member)
    /// A standby has ended, or could not be started, before it was needed. The cause is nil if it could not be started.
    /// The next one is started after the delay.
    ///
    /// Emitted by the coordinator.
    case standbyEnded(Member, cause: Interruption.Cause?, reason: String, delay: Duration)

    // MARK: Output of workers

    /// A worker has written a line to its standard output or error. Lines beyond 4,096 in a second are not reported.
    /// Entries of a worker's log below the level of the coordinator's logger are not written, so they are not reported
    /// either.
    ///
    /// Emitted by the coordinator.
    case workerOutput(Worker, OutputLine)
    /// Lines of a worker were dropped, because it writes more lines in a second than are reported.
    ///
    /// Emitted by the coordinator.
    case workerOutputDropped(Worker, lines: Int, linesPerSecond: Int)
    /// The output of a worker cannot be read any more.
    ///
    /// Emitted by the coordinator.
    case workerOutputFailed(Worker, reason: String)
    /// The runtime of Swift has written a crash report in a worker. The title is its first sentence.
    ///
    /// Emitted by the coordinator.
    case workerCrashReported(Worker, title: String, report: String)

    // MARK: Groups

    /// A group restarts workers because one of its children ended. The strategy is a text, such as "one for all".
    ///
    /// Emitted by the coordinator.
    case groupRestarted(group: String, strategy: String, cause: Interruption.Cause)
    /// A group was given up. Its parent group restarts it after the delay. If the delay is nil, the reason says whether
    /// the group is tried again.
    ///
    /// Emitted by the coordinator.
    case groupFailed(group: String, reason: String, restartDelay: Duration?)
    /// A group is done, as its setting `autoShutdown` says.
    ///
    /// Emitted by the coordinator.
    case groupDone(group: String, reason: String)
    /// A group that was given up is tried again.
    ///
    /// Emitted by the coordinator.
    case groupProbed(group: String)

    // MARK: Instances

    /// An instance of a feature was created, because a client or the program asked for it.
    ///
    /// Emitted by the coordinator.
    case instanceOpened(Instance)
    /// An instance of a feature was closed, and its state is lost.
    ///
    /// Emitted by the coordinator.
    case instanceClosed(Instance)
    /// The feature of an instance handles an interruption: its `recovery(from:in:)` returned an action, which is sent.
    ///
    /// Emitted by the coordinator.
    case instanceRecovered(Instance, Interruption)
    /// An event was put into quarantine because it ended these incarnations of its worker.
    ///
    /// Emitted by the coordinator.
    case eventQuarantined(EventID, of: Member, incarnations: [UInt64], cause: Interruption.Cause)
    /// An event was dropped from the quarantine, which is full.
    ///
    /// Emitted by the coordinator.
    case quarantineOverflowed(EventID, of: Member)
    /// Clients keep an older view state of an instance, because the newest one cannot be sent. The reason is a complete
    /// sentence.
    ///
    /// Emitted by the coordinator.
    case viewStateWithheld(Instance, reason: String)
    /// The closure that observes the states of an instance threw an error. It is called again after the delay. Further
    /// errors are not reported until a call has succeeded.
    ///
    /// Emitted by the coordinator.
    case stateObserverFailed(Instance, reason: String, delay: Duration)

    // MARK: Clients, sessions and connections

    /// A client that the coordinator does not know has completed its handshake. A client that comes back after a broken
    /// connection does not join again.
    ///
    /// Emitted by the coordinator.
    case clientJoined(Client)
    /// The coordinator has forgotten a client, because it left for good or did not come back in time.
    ///
    /// Emitted by the coordinator.
    case clientLeft(Client)
    /// Connections were refused or closed. The first one of a burst is reported at once, and the others together.
    ///
    /// Emitted by the coordinator.
    case connectionsRejected(Rejection, count: Int, isFirst: Bool)
    /// A session has completed its handshake. Sessions of tools, such as `latticectl`, are not reported.
    ///
    /// Emitted by each of its two processes.
    case sessionOpened(Peer)
    /// A session has ended. The problem is nil after an orderly end. Sessions whose handshake failed are not reported,
    /// except those of workers at the coordinator. A worker's session may end after its next incarnation has begun.
    ///
    /// Emitted by each of its two processes.
    case sessionEnded(Peer, problem: SessionProblem?)
    /// The socket of the coordinator, or the lock file next to it, has changed.
    ///
    /// Emitted by the coordinator.
    case socketChanged(path: String, SocketChange)
    /// A property of the system keeps the coordinator from doing everything that it does elsewhere. The reason is a
    /// complete sentence that says what to do.
    ///
    /// Emitted by the coordinator when it starts.
    case processProblem(reason: String)
    /// A client has lost its connection and tries to restore it. The path is that of the coordinator's socket.
    ///
    /// Emitted by the client.
    case connectionLost(path: String, reason: String)
    /// An attempt to restore the connection has failed. The attempts are counted from 1.
    ///
    /// Emitted by the client.
    case connectionAttemptFailed(path: String, attempt: Int, reason: String)
    /// A client has restored its connection. ``sessionOpened(_:)`` came before.
    ///
    /// Emitted by the client.
    case connectionRestored(path: String)
    /// A client no longer tries to restore its connection. The reason is a complete sentence.
    ///
    /// Emitted by the client.
    case connectionGivenUp(path: String, reason: String)

    // MARK: Tools

    /// A tool, such as `latticectl`, has asked for an act that it may do, and the act begins.
    ///
    /// Emitted by the coordinator.
    case operationBegan(Operation)
    /// An act of a tool has ended, or was refused. The result is the text that the tool gets. `isDone` is false if
    /// nothing was done. If more acts are refused within a second, the result of one further event says how many.
    ///
    /// Emitted by the coordinator.
    case operationEnded(Operation, result: String, isDone: Bool)

    // MARK: Settings

    /// The settings were read again. The text says what has changed, and what keeps its value until the next start.
    ///
    /// Emitted by the coordinator.
    case settingsReloaded(String)
    /// The settings could not be read again, and nothing has changed. The reason lists the mistakes.
    ///
    /// Emitted by the coordinator.
    case settingsRefused(reason: String)

    // MARK: Effects

    /// Effects of an event that was cancelled have not returned after the grace period, the duration. The event has
    /// ended without them. The ID is nil if the event does not leave its process.
    ///
    /// Emitted by the worker.
    case effectsLinger(EventID?, effects: Int, after: Duration)

    // MARK: Calls

    /// Another process does not read the answers to its calls of actors, so its further calls wait or are refused. The
    /// reason is a text for people.
    ///
    /// Emitted by the process that answers.
    case callsHeld(reason: String)
    /// A call of an actor, or a question to a feature, begins to run.
    ///
    /// Emitted by the process that has the actor or the feature.
    case callStarted(Call)
    /// A call has ended. The outcome is a short text, such as "returned", "threw" or "cancelled". The duration is the
    /// time since the call arrived.
    ///
    /// Emitted by the process that has the actor or the feature.
    case callEnded(Call, outcome: String, after: Duration)

    // MARK: Events and states

    /// An event was accepted.
    ///
    /// Emitted by a coordinator for the events of its clients, and by a worker.
    case eventAccepted(EventID)
    /// An event has a place in the channel to the next process. It is sent at once, or when the next session opens. It
    /// may be sent again to the next incarnation of the worker, which is not reported.
    ///
    /// Emitted by a client, and by a coordinator for the events of its clients and of its own view models.
    case eventSent(EventID)
    /// An event has its place among all events of its instance (``EventContext/order``), with its cause and its sender.
    ///
    /// Emitted by a coordinator after ``eventSent(_:)``, and by a worker after ``eventAccepted(_:)``, also for an event
    /// that is sent to it again. It is no part of ``Kinds/events``, so name it: `[.eventOrdered]`.
    case eventOrdered(EventID, order: UInt64, cause: EventCause, sender: EventSource)
    /// An event has ended. An event that was rejected before it was accepted or sent is reported only by a coordinator,
    /// for the events of its clients. The duration is the time since the event arrived in this process, or since it was
    /// sent here. It includes the time for which the machine sleeps.
    ///
    /// Emitted by a client and by a coordinator. A worker does not report the ends of events.
    case eventEnded(EventID, EventOutcome, after: Duration)
    /// A new state of an instance has arrived.
    ///
    /// Emitted by a coordinator for the domain states of its workers, and by a client for view states.
    case stateAccepted(Instance, StateUpdate)
    /// A new state of an instance is offered to the other side. A reader that is slow gets only the newest one.
    ///
    /// Emitted by a worker for domain states, and by a coordinator for view states.
    case statePublished(Instance, StateUpdate)
}
