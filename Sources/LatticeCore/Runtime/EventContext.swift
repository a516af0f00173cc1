package import LatticeConcurrency

/// The facts about the event that the running code belongs to: its identity, its sender, its place in the order of
/// events, and its cause.
///
/// ``current`` has a value in an interactor and in effects, whether the feature runs in a worker or in this process:
///
/// ```swift
/// case .rename(let name):
///     guard case .client(let client)? = EventContext.current?.sender, client.userID == 0 else { return .none }
///     state.name = name
///     return .none
/// ```
///
/// A client cannot choose the process and the user that ``sender`` contains. The coordinator takes them from the
/// kernel, which recorded them when the client connected. The path of its program is a hint. Reading the context of a
/// turn takes no lock and copies a few references.
public struct EventContext: Sendable {
    /// The sender of an event that no client has sent.
    private enum OwnSender {
        /// The program has sent it.
        case program
        /// The feature has returned its action when a worker started or had terminated.
        case feature
    }

    /// The globally unique identity of the event. It is nil if the event does not leave its process.
    public let id: EventID?
    /// The place of the event among all events of its instance. It grows with each event that is sent to the instance,
    /// whatever process sends it, and an event that is sent again after a worker's termination keeps it.
    ///
    /// It is unique within one life of the instance: it begins at 1 again if the coordinator closes the instance and
    /// creates it again, and with each view model if the feature runs in process. It is 0 for the action that
    /// ``HostedFeature/started(_:in:)`` returns, because each incarnation handles that action before it receives
    /// events.
    public internal(set) var order: UInt64
    /// What produced the action that the interactor handles. In an effect, what produced the event.
    public internal(set) var cause: EventCause
    /// The sender of the event if no client has sent it. It is stored, because ``cause`` changes for the actions of
    /// effects.
    private let ownSender: OwnSender
    /// The deadline of the event, for ``Deadline/current``.
    package let deadline: MonotonicDeadline
    /// The value of ``TraceContext/currentLines``.
    package var trace: [String]

    /// Whether the context refers to memory that is freed with it.
    var hasReferences: Bool { id != nil || !trace.isEmpty }

    /// Creates a context.
    package init(
        id: EventID? = nil,
        order: UInt64 = 0,
        cause: EventCause = .sent,
        deadline: MonotonicDeadline = .never,
        trace: [String] = []
    ) {
        self.id = id
        self.order = order
        self.cause = cause
        ownSender =
            switch cause {
            case .started, .recovery: .feature
            case .sent, .event, .effect: .program
            }
        self.deadline = deadline
        self.trace = trace
    }

    /// The sender of the event. For an action that an effect emitted, it is the sender of the event that started the
    /// effect.
    public var sender: EventSource {
        // The client comes first, because only the coordinator can name one, and a cause may come from a client.
        if let client = id?.origin.client { return .client(client) }
        return switch ownSender {
        case .program: .program
        case .feature: .feature
        }
    }

    /// The facts as metadata of a log entry. These keys are stable:
    ///
    /// - `event`: the text of ``id``, if the event has one
    /// - `order`: the number ``order``
    /// - `cause`: the text of ``cause``
    /// - `sender`: "program", "feature", or "client" with the process ID of the client, as in "client 712"
    public var metadata: [String: String] {
        var metadata = ["order": "\(order)", "cause": "\(cause)"]
        if let id { metadata["event"] = "\(id)" }
        metadata["sender"] =
            switch sender {
            case .client(let client): client.processID.map { "client \($0)" } ?? "client"
            case .program: "program"
            case .feature: "feature"
            }
        return metadata
    }

    /// The facts about the event that the running code belongs to: in an interactor, the event of its turn, and in an
    /// effect, the event that started it. It is nil elsewhere. It is also nil in a method of a distributed actor that
    /// another process has called, because no process vouches for the sender of a call.
    public static var current: EventContext? {
        if let context = CurrentTurn.context { return context }
        if case .event(let context)? = TaskSubject.current { return context }
        return nil
    }

    /// Runs `body`, whose tasks can read the context. The calling code may be an effect of another event.
    func around<Result>(_ body: () -> Result) -> Result {
        if isCurrent { return aroundDeadline(body) }
        return TaskSubject.$current.withValue(.event(self)) { aroundDeadline(body) }
    }

    /// Whether the running task has this context already, as when an effect of an event leads to the next one. Setting
    /// a task-local value allocates memory, and each task copies it.
    private var isCurrent: Bool {
        guard case .event(let current)? = TaskSubject.current else { return false }
        return current.order == order && current.ownSender == ownSender && current.cause == cause
            && current.id?.number == id?.number && current.id?.origin === id?.origin
            && current.deadline == deadline && current.trace == trace
    }

    private func aroundDeadline<Result>(_ body: () -> Result) -> Result {
        if deadline != MonotonicDeadline.current {
            return MonotonicDeadline.$current.withValue(deadline) { aroundDeadline(body) }
        }
        if trace != TraceContext.currentLines {
            return TraceContext.$currentLines.withValue(trace, operation: body)
        }
        return body()
    }
}

/// What the running task works on.
package enum TaskSubject: Sendable {
    /// An effect of an event.
    case event(EventContext)
    /// A call of an actor, or a question to a feature, with the event on whose behalf the caller made it.
    case call(EventID?)

    /// The subject of the running task, or nil outside of effects and calls.
    @TaskLocal package static var current: TaskSubject?

    /// The ID of the event that the task belongs to.
    var id: EventID? {
        switch self {
        case .event(let context): context.id
        case .call(let id): id
        }
    }
}
