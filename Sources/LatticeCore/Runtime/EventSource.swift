/// The sender of an event, as the coordinator or this process knows it.
///
/// Later versions may add cases, so a `switch` needs a `default`.
public enum EventSource: Sendable, Hashable, CustomStringConvertible {
    /// A client of the coordinator. The process and the user are those that the kernel recorded when the client
    /// connected, and not what the client says. The program is a hint (``RuntimeEvent/Client/program``).
    case client(RuntimeEvent.Client)
    /// The program that owns the view model: the coordinator's own program, or the only program if the feature runs in
    /// process.
    case program
    /// The feature itself, with the action of ``HostedFeature/started(_:in:)`` or
    /// ``HostedFeature/recovery(from:in:)``.
    case feature

    /// The sender in a few words, such as "client a0c4…7e (process 712)", "the program" or "the feature".
    public var description: String {
        switch self {
        case .client(let client): client.title
        case .program: "the program"
        case .feature: "the feature"
        }
    }
}

/// What produced an event, or the action of an event that an interactor handles.
///
/// The cause is what the sender of the event states. Use ``EventContext/sender``, which the sender does not state, to
/// decide what a sender may do. Later versions may add cases, so a `switch` needs a `default`.
public enum EventCause: Sendable, Hashable, CustomStringConvertible {
    /// A client or the program sent the event.
    case sent
    /// Code that belongs to this other event sent the event: a turn, an effect, or a call that was made for it. It is
    /// only known if a trace context was current there (``TraceContext/current``). Without one the cause is ``sent``.
    /// Events of a feature that runs in process have no ID, and are no causes.
    case event(EventID)
    /// An effect of the event emitted the action. The name is that of the effect, or nil if it has none.
    case effect(name: String?)
    /// The feature's `started(_:in:)` returned the action.
    case started
    /// The feature's `recovery(from:in:)` returned the action, after this incarnation of the worker had terminated.
    case recovery(incarnation: UInt64)

    /// The cause as one word and its value, such as "sent", "event tally/a0c4…/3/17", "effect reindex", "started" or
    /// "recovery 2".
    public var description: String {
        switch self {
        case .sent: "sent"
        case .event(let id): "event \(id)"
        case .effect(let name): name.map { "effect \($0)" } ?? "effect"
        case .started: "started"
        case .recovery(let incarnation): "recovery \(incarnation)"
        }
    }

    /// Returns the cause of an event that the running code sends.
    ///
    /// - Parameter trace: The value of ``TraceContext/currentLines``. If there is none, the event to which the code
    ///   belongs is not looked up. See ``CurrentTurn`` for the time that this saves.
    package static func current(ifTracedBy trace: [String]) -> EventCause {
        if trace.isEmpty { .sent } else { EventID.current.map { .event($0) } ?? .sent }
    }
}
