extension MetricDefinition {
    private static let feature = "lattice.feature"
    private static let group = "lattice.group"
    private static let role = "lattice.role"
    private static let direction = "network.io.direction"
    private static let errorType = "error.type"

    // MARK: Counted from runtime events

    static let eventDuration = MetricDefinition(
        "lattice.event.duration",
        .histogram,
        unit: "s",
        labels: [feature, "lattice.outcome", errorType],
        "The time from the arrival of an event to its outcome. The number of events is that of the durations."
    )
    static let callDuration = MetricDefinition(
        "rpc.server.call.duration",
        .histogram,
        unit: "s",
        labels: ["rpc.system.name", "rpc.method", errorType],
        "The time that calls of actors and questions to features took in this process."
    )
    static let stateBytes = MetricDefinition(
        "lattice.state.io",
        .counter,
        unit: "By",
        labels: [feature, direction],
        "The encoded bytes of states and patches that were received or offered to readers."
    )
    static let states = MetricDefinition(
        "lattice.states",
        .counter,
        unit: "{state}",
        labels: [feature, direction],
        "The states that were received or offered to readers."
    )
    static let workerStarts = MetricDefinition(
        "lattice.worker.starts",
        .counter,
        unit: "{process}",
        labels: [group],
        "The worker processes that were started."
    )
    static let workerTerminations = MetricDefinition(
        "lattice.worker.terminations",
        .counter,
        unit: "{process}",
        labels: [group, "lattice.cause", "lattice.verdict"],
        "The worker processes that ended, with the cause and the decision: restart, give up or stop."
    )
    static let outputDropped = MetricDefinition(
        "lattice.worker.output.dropped",
        .counter,
        unit: "{line}",
        labels: [group],
        "The lines of workers that were dropped because there were too many in a second."
    )
    static let eventsQuarantined = MetricDefinition(
        "lattice.events.quarantined",
        .counter,
        unit: "{event}",
        labels: [feature],
        "The events that were put into quarantine because they ended their workers."
    )
    static let viewStatesWithheld = MetricDefinition(
        "lattice.view_states.withheld",
        .counter,
        unit: "{state}",
        labels: [feature],
        "The view states that could not be sent to clients."
    )
    static let clientsJoined = MetricDefinition(
        "lattice.clients.joined",
        .counter,
        unit: "{client}",
        "The clients that joined. A client that reconnects does not join again."
    )
    static let clientsLeft = MetricDefinition(
        "lattice.clients.left",
        .counter,
        unit: "{client}",
        "The clients that left, or that did not come back in time."
    )
    static let connectionsRejected = MetricDefinition(
        "lattice.connections.rejected",
        .counter,
        unit: "{connection}",
        labels: ["lattice.reason"],
        "The connections that were refused or closed before they became a session."
    )
    static let sessionsEnded = MetricDefinition(
        "lattice.sessions.ended",
        .counter,
        unit: "{session}",
        labels: ["lattice.peer", errorType],
        "The sessions that ended, with the kind of problem if the end was not orderly."
    )

    // MARK: Read when metrics are collected

    static let eventsWaiting = MetricDefinition(
        "lattice.events.waiting",
        .gauge,
        unit: "{event}",
        labels: [feature],
        "The depth of the queue: events of clients that wait to be sent to the worker."
    )
    static let eventsRunning = MetricDefinition(
        "lattice.events.running",
        .gauge,
        unit: "{event}",
        labels: [feature],
        "The other events, of clients and of the program, that have not ended."
    )
    static let instances = MetricDefinition(
        "lattice.instances",
        .gauge,
        unit: "{instance}",
        labels: [feature],
        "The instances of features."
    )
    static let subscribers = MetricDefinition(
        "lattice.subscribers",
        .gauge,
        unit: "{channel}",
        labels: [feature],
        "The channels of clients on which view states are published."
    )
    static let workers = MetricDefinition(
        "lattice.workers",
        .gauge,
        unit: "{worker}",
        labels: [group, "lattice.state"],
        "The workers by their state, such as serving, restarting or failed."
    )
    static let clients = MetricDefinition(
        "lattice.clients",
        .gauge,
        unit: "{client}",
        "The clients that are connected."
    )
    static let quarantine = MetricDefinition(
        "lattice.quarantine.size",
        .gauge,
        unit: "{event}",
        "The events that are in quarantine."
    )
    static let eventLoopLag = MetricDefinition(
        "lattice.event_loop.lag",
        .gauge,
        unit: "s",
        "The time that the collection waited until the event loop of the coordinator answered."
    )
    static let cpuTime = MetricDefinition(
        "process.cpu.time",
        .counter,
        unit: "s",
        labels: [role, group],
        "The processor time of the coordinator, and of the workers of each group, also of those that have ended."
    )
    static let memory = MetricDefinition(
        "process.memory.usage",
        .gauge,
        unit: "By",
        labels: [role, group],
        "The memory of the coordinator, and of the workers of each group, that is not swapped out."
    )
    static let openFiles = MetricDefinition(
        "process.open_file_descriptor.count",
        .gauge,
        unit: "{file_descriptor}",
        labels: [role, group],
        "The descriptors that the coordinator, and the workers of each group, have open."
    )
}

extension RuntimeMetrics {
    /// The table of all metrics: names, types, units, labels and bounds.
    ///
    /// No label holds an ID, such as the key of an instance, a process or a client.
    public static let definitions: [MetricDefinition] = [
        .eventDuration, .eventsWaiting, .eventsRunning, .eventsQuarantined, .quarantine, .instances, .subscribers,
        .states, .stateBytes, .viewStatesWithheld, .callDuration, .workers, .workerStarts, .workerTerminations,
        .outputDropped, .cpuTime, .memory, .openFiles, .eventLoopLag, .clients, .clientsJoined, .clientsLeft,
        .connectionsRejected, .sessionsEnded,
    ]
}
