/// The worker, the group, the feature and the events that a runtime event is about. Each can be missing.
package struct RuntimeSubjects: Sendable, Equatable {
    /// The worker, or nil.
    package var member: RuntimeEvent.Member?
    /// The group of the worker, or the group itself, or nil. It is empty for features that are in no group.
    package var group: String?
    /// The incarnation of the worker, or nil if the runtime event is not about a certain one.
    package var incarnation: UInt64?
    /// The process ID of the worker, or nil if it is unknown.
    package var processID: Int32?
    /// The identifier of the feature, or nil if there is none or more than one.
    package var feature: String?
    /// The key of the instance, or nil if there is none or more than one.
    package var instance: String?
    /// The IDs of the events, as text. A worker wrote some of them, so they need not be IDs.
    package var events: [String] = []

    fileprivate mutating func add(_ all: [EventID]) {
        for text in all.lazy.map({ "\($0)" }) where !events.contains(text) { events.append(text) }
        // A worker that ends can lose events of several features, and none of them is the subject.
        guard let first = all.first, all.allSatisfy({ $0.feature == first.feature }) else { return }
        feature = first.feature
        if all.allSatisfy({ $0.instance == first.instance }) { instance = first.instance }
    }
}

extension RuntimeEvent {
    /// What the event is about.
    package var subjects: RuntimeSubjects {
        var subjects = RuntimeSubjects(member: member)
        if let worker {
            (subjects.member, subjects.incarnation) = (worker.member, worker.incarnation)
            subjects.processID = worker.processID
        }
        if let instance {
            (subjects.feature, subjects.instance) = (instance.feature, instance.key)
            subjects.member = subjects.member ?? instance.member
        }
        if case .workerOutput(_, let line) = self, let text = line.entry?.metadata["event"] {
            // The worker wrote it, so it does not decide to which feature the entry belongs.
            subjects.events = [text]
        }
        subjects.add(events)
        subjects.group = group ?? subjects.member?.group
        return subjects
    }

    /// The worker that the event is about, with its incarnation, or nil.
    private var worker: Worker? {
        switch self {
        case .workerStarted(let worker), .workerServing(let worker, _), .workerUnresponsive(let worker, _),
            .workerResponsive(let worker), .workerProblem(let worker, _), .workerKilled(let worker, _),
            .workerOutput(let worker, _), .workerOutputDropped(let worker, _, _), .workerOutputFailed(let worker, _),
            .workerCrashReported(let worker, _, _), .sessionOpened(.worker(let worker)),
            .sessionEnded(.worker(let worker), _):
            worker
        case .workerTerminated(let end): end.worker
        default: nil
        }
    }

    private var group: String? {
        switch self {
        case .groupRestarted(let group, _, _), .groupFailed(let group, _, _), .groupDone(let group, _),
            .groupProbed(let group):
            group
        default: nil
        }
    }

    private var instance: Instance? {
        switch self {
        case .instanceOpened(let instance), .instanceClosed(let instance), .instanceRecovered(let instance, _),
            .viewStateWithheld(let instance, _), .stateObserverFailed(let instance, _, _),
            .stateAccepted(let instance, _), .statePublished(let instance, _):
            instance
        default: nil
        }
    }

    private var events: [EventID] {
        switch self {
        case .eventQuarantined(let event, _, _, _), .quarantineOverflowed(let event, _), .eventAccepted(let event),
            .eventSent(let event), .eventOrdered(let event, _, _, _), .eventEnded(let event, _, _):
            [event]
        case .effectsLinger(let event, _, _): event.map { [$0] } ?? []
        case .workerTerminated(let end):
            // The event of the turn comes first, because it is the likely cause.
            (end.report?.turn.map { [$0] } ?? []) + (end.report?.events ?? [])
        default: []
        }
    }
}
